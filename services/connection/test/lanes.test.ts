import { createLanes, type Lanes } from '../jobs/lanes.ts';

const lanesOf = (perLane: number, inAll: number) => createLanes<string>({ perLane, inAll });
const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);

function startAll(lanes: Lanes<string>): string[] {
  const started: string[] = [];
  for (let turn = lanes.next(); turn; turn = lanes.next()) started.push(turn.id);
  return started;
}

test('connections take turns', () => {
  const lanes = lanesOf(4, 100);
  lanes.put('a', many('a', 3));
  lanes.put('b', many('b', 3));
  expect(startAll(lanes)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

test('a connection has at most its own number under way, and as many again ready', () => {
  const lanes = lanesOf(2, 100);
  expect(lanes.room('a')).toBe(4);
  lanes.put('a', many('a', 4));
  expect([lanes.room('a'), startAll(lanes)]).toEqual([0, ['a', 'a']]);
  lanes.ended('a');
  expect([lanes.room('a'), startAll(lanes), lanes.inFlight('a')]).toEqual([1, ['a'], 2]);
});

test('what is under way in all is bounded, but a connection with nothing under way may start one', () => {
  const lanes = lanesOf(10, 4);
  lanes.put('a', many('a', 8));
  expect(startAll(lanes)).toHaveLength(4);
  expect(lanes.room('b')).toBe(1);
  lanes.put('b', ['b0']);
  expect(startAll(lanes)).toEqual(['b']);
});

test('what is drained has not started, and its places are free', () => {
  const lanes = lanesOf(2, 2);
  lanes.put('a', many('a', 4));
  startAll(lanes);
  expect(lanes.drain('a')).toEqual(['a2', 'a3']);
  expect(lanes.room('a')).toBe(2);
  lanes.ended('a');
  lanes.ended('a');
  expect([lanes.inFlight('a'), lanes.room('a'), lanes.next()]).toEqual([0, 4, null]);
  lanes.put('a', ['x']);
  lanes.put('b', ['y']);
  expect(lanes.drain().sort()).toEqual(['x', 'y']);
});
