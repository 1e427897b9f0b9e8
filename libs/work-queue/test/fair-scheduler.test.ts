import { FairScheduler } from '../fair-scheduler.ts';

class TestScheduler extends FairScheduler<string> {
  /** Reserves slots and adds jobs; gives the number that got a slot. */
  submit(key: string, ...jobs: string[]): number {
    const slots = this.reserve(key, jobs.length);
    for (const job of jobs.slice(0, slots)) this.add(key, job);
    return slots;
  }

  /** Starts all that may start now. */
  startAll(): string[] {
    const started: string[] = [];
    for (let turn = this.next(); turn; turn = this.next()) started.push(turn.job);
    return started;
  }

  finish(key: string): void {
    this.turnEnded(key);
    this.release(key);
  }
}

function schedulerOf(perKey: number, total: number): TestScheduler {
  return new TestScheduler({ perKey, total });
}

test('keys take turns, whichever came first', () => {
  const scheduler = schedulerOf(10, 100);
  scheduler.submit('a', 'a1', 'a2', 'a3');
  scheduler.submit('b', 'b1', 'b2');
  scheduler.submit('c', 'c1');
  expect(scheduler.startAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('no more jobs of a key run than its limit, until one has ended', () => {
  const scheduler = schedulerOf(2, 100);
  scheduler.submit('a', 'a1', 'a2', 'a3', 'a4');
  expect(scheduler.startAll()).toEqual(['a1', 'a2']);
  scheduler.finish('a');
  expect(scheduler.startAll()).toEqual(['a3']);
});

test('at most twice as many jobs of a key are held as may run', () => {
  const scheduler = schedulerOf(2, 100);
  expect(scheduler.submit('a', 'a1', 'a2', 'a3', 'a4', 'a5')).toBe(4);
  expect(scheduler.submit('a', 'a5')).toBe(0);
  scheduler.startAll();
  scheduler.finish('a');
  expect(scheduler.submit('a', 'a5')).toBe(1);
});

test('at the total limit a key with none running may start one, a key with some may not', () => {
  const scheduler = schedulerOf(4, 4);
  scheduler.submit('hog', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6');
  expect(scheduler.startAll()).toEqual(['h1', 'h2', 'h3', 'h4']);
  scheduler.submit('a', 'a1', 'a2');
  expect(scheduler.startAll()).toEqual(['a1']);
  scheduler.finish('hog');
  expect(scheduler.startAll()).toEqual([]);
  scheduler.finish('hog');
  expect(scheduler.startAll()).toEqual(['a2']);
});

test('when all slots are taken a key still has its share, and once twice as many are taken, one', () => {
  const scheduler = schedulerOf(2, 4);
  for (const hog of ['h1', 'h2']) expect(scheduler.submit(hog, ...Array(5).fill('h'))).toBe(4);
  for (const id of ['a', 'b']) expect(scheduler.submit(id, ...Array(5).fill('x'))).toBe(4);
  expect(scheduler.submit('a', 'a5')).toBe(0);
  expect(scheduler.submit('c', 'c1', 'c2')).toBe(1);
  expect(scheduler.submit('c', 'c2')).toBe(0);
});

test('a batch is refused that is smaller than asked for, unless the key holds nothing', () => {
  const scheduler = schedulerOf(2, 100);
  scheduler.submit('a', 'a1', 'a2', 'a3');
  expect(scheduler.reserve('a', 4, 2)).toBe(0);
  expect(scheduler.reserve('a', 4, 1)).toBe(1);
  expect(scheduler.reserve('b', 1, 2)).toBe(1);
});

test('jobs that have not started can be drained, which frees their slots', () => {
  const scheduler = schedulerOf(1, 100);
  scheduler.submit('a', 'a1', 'a2');
  scheduler.submit('b', 'b1', 'b2');
  expect(scheduler.startAll()).toEqual(['a1', 'b1']);
  expect(scheduler.drain('a')).toEqual(['a2']);
  scheduler.finish('a');
  expect(scheduler.startAll()).toEqual([]);
  expect(scheduler.submit('a', 'a3', 'a4')).toBe(2);
  expect(scheduler.drain()).toEqual(['b2', 'a3', 'a4']);
});

test('groups take turns, however many keys each has', () => {
  const scheduler = schedulerOf(10, 100);
  for (const [key, group] of Object.entries({ a1: 'a', a2: 'a', a3: 'a', b1: 'b' })) {
    scheduler.reserve(key, 2);
    for (const job of ['first', 'second']) scheduler.add(key, `${key} ${job}`, group);
  }
  const started = scheduler.startAll();
  expect(started.slice(0, 4)).toEqual(['a1 first', 'b1 first', 'a2 first', 'a3 first']);
  expect(started.slice(4, 6)).toEqual(['b1 second', 'a1 second']);
  expect(started).toHaveLength(8);
});

test('at the total limit a key with none running comes before others of its group', () => {
  const scheduler = schedulerOf(4, 2);
  scheduler.reserve('a1', 4);
  for (const job of ['1', '2', '3']) scheduler.add('a1', job, 'a');
  expect(scheduler.startAll()).toEqual(['1', '2']);
  scheduler.reserve('a2', 1);
  scheduler.add('a2', 'other', 'a');
  expect(scheduler.startAll()).toEqual(['other']);
  expect(scheduler.slots('a1')).toBe(4);
});
