import { createTurns } from '../turns.ts';

function turnsWith(perEndpoint: number, inAll: number) {
  const turns = createTurns<string>({ perEndpoint, inAll });
  return {
    ...turns,
    /** Places and puts jobs; the number that found a place. */
    add(endpointId: string, ...jobs: string[]): number {
      const places = turns.reserve(endpointId, jobs.length);
      for (const job of jobs.slice(0, places)) turns.put(endpointId, job);
      return places;
    },
    /** Starts all that may start now. */
    startAll(): string[] {
      const started: string[] = [];
      for (let turn = turns.next(); turn; turn = turns.next()) started.push(turn.job);
      return started;
    },
    finish(endpointId: string): void {
      turns.ended(endpointId);
      turns.release(endpointId);
    },
  };
}

test('endpoints take turns, whoever came first', () => {
  const turns = turnsWith(10, 100);
  turns.add('a', 'a1', 'a2', 'a3');
  turns.add('b', 'b1', 'b2');
  turns.add('c', 'c1');
  expect(turns.startAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('no more are in flight for an endpoint than its own bound, until one has ended', () => {
  const turns = turnsWith(2, 100);
  turns.add('a', 'a1', 'a2', 'a3', 'a4');
  expect(turns.startAll()).toEqual(['a1', 'a2']);
  turns.finish('a');
  expect(turns.startAll()).toEqual(['a3']);
});

test('twice as many are held for an endpoint as may be in flight, and no more', () => {
  const turns = turnsWith(2, 100);
  expect(turns.add('a', 'a1', 'a2', 'a3', 'a4', 'a5')).toBe(4);
  expect(turns.add('a', 'a5')).toBe(0);
  turns.startAll();
  turns.finish('a');
  expect(turns.add('a', 'a5')).toBe(1);
});

test('where all turns are taken, an endpoint with none in flight may start one, one with some may not', () => {
  const turns = turnsWith(4, 4);
  turns.add('hog', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6');
  expect(turns.startAll()).toEqual(['h1', 'h2', 'h3', 'h4']);
  turns.add('a', 'a1', 'a2');
  expect(turns.startAll()).toEqual(['a1']);
  turns.finish('hog');
  expect(turns.startAll()).toEqual([]);
  turns.finish('hog');
  expect(turns.startAll()).toEqual(['a2']);
});

test('where all places are taken, an endpoint still has its share, and once twice as many are taken one', () => {
  const turns = turnsWith(2, 4);
  for (const hog of ['h1', 'h2']) expect(turns.add(hog, ...Array(5).fill('h'))).toBe(4);
  for (const id of ['a', 'b']) expect(turns.add(id, ...Array(5).fill('x'))).toBe(4);
  expect(turns.add('a', 'a5')).toBe(0);
  expect(turns.add('c', 'c1', 'c2')).toBe(1);
  expect(turns.add('c', 'c2')).toBe(0);
});

test('a batch is refused that is smaller than asked for, unless the endpoint holds nothing', () => {
  const turns = turnsWith(2, 100);
  turns.add('a', 'a1', 'a2', 'a3');
  expect(turns.reserve('a', 4, 2)).toBe(0);
  expect(turns.reserve('a', 4, 1)).toBe(1);
  expect(turns.reserve('b', 1, 2)).toBe(1);
});

test('what has not started can be taken out, and its places are free', () => {
  const turns = turnsWith(1, 100);
  turns.add('a', 'a1', 'a2');
  turns.add('b', 'b1', 'b2');
  expect(turns.startAll()).toEqual(['a1', 'b1']);
  expect(turns.drain('a')).toEqual(['a2']);
  turns.finish('a');
  expect(turns.startAll()).toEqual([]);
  expect(turns.add('a', 'a3', 'a4')).toBe(2);
  expect(turns.drain()).toEqual(['b2', 'a3', 'a4']);
});

test('companies take turns, however many endpoints each has', () => {
  const turns = turnsWith(10, 100);
  for (const [endpointId, companyId] of Object.entries({ a1: 'a', a2: 'a', a3: 'a', b1: 'b' })) {
    turns.reserve(endpointId, 2);
    for (const job of ['first', 'second']) turns.put(endpointId, `${endpointId} ${job}`, companyId);
  }
  const started = turns.startAll();
  expect(started.slice(0, 4)).toEqual(['a1 first', 'b1 first', 'a2 first', 'a3 first']);
  expect(started.slice(4, 6)).toEqual(['b1 second', 'a1 second']);
  expect(started).toHaveLength(8);
});

test('where all turns are taken, what has none in flight comes before others of its own company', () => {
  const turns = turnsWith(4, 2);
  turns.reserve('a1', 4);
  for (const job of ['1', '2', '3']) turns.put('a1', job, 'a');
  expect(turns.startAll()).toEqual(['1', '2']);
  turns.reserve('a2', 1);
  turns.put('a2', 'other', 'a');
  expect(turns.startAll()).toEqual(['other']);
  expect(turns.held('a1')).toBe(4);
});
