import { afterRemoval, neighbour } from '../../src/pages/invoices/rules/selection.ts';

const ids = ['a', 'b', 'c'];

test.each([
  ['the next', 'a', 0, 1, 'b'],
  ['the one before', 'b', 1, -1, 'a'],
  ['at the end it stays', 'c', 2, 1, 'c'],
  ['at the start it stays', 'a', 0, -1, 'a'],
  ['of one that has left, what took its place', 'gone', 1, 1, 'b'],
  ['of one that has left, what was before it', 'gone', 1, -1, 'a'],
  ['of the last that has left, the one that is last now', 'gone', 3, 1, 'c'],
  ['of the first that has left, the one that is first now', 'gone', 0, -1, 'a'],
] as const)('a step leads to a row beside: %s', (_, selected, place, step, expected) => {
  expect(neighbour(ids, { selected, place }, step)).toBe(expected);
});

test('an empty list has no rows to step to', () => {
  expect(neighbour([], { selected: 'gone', place: 0 }, 1)).toBeNull();
});

test.each([
  ['the next in place, never the first', ids, 'b', 1, 'c'],
  ['at the end, the one before', ids, 'c', 2, 'b'],
  ['none, if it was the only one', ['a'], 'a', 0, null],
  ['after one that the list has already lost, what took its place', ids, 'gone', 1, 'b'],
  ['after the last that the list has already lost, the one that is last now', ids, 'gone', 3, 'c'],
  ['none, if the list has already lost its only one', [], 'gone', 0, null],
])('after an action is selected: %s', (_, rows, removed, place, expected) => {
  expect(afterRemoval(rows, removed, place)).toBe(expected);
});
