import { isId, newId } from '../ids.ts';

test('an id is 24 hexadecimal characters in lower case that begin with the second of its making', () => {
  const id = newId(new Date('2026-11-21T10:00:00.999Z'));
  expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(Number.parseInt(id.slice(0, 8), 16)).toBe(Date.parse('2026-11-21T10:00:00Z') / 1000);
});

test('ids of later seconds sort after those of earlier ones, whatever the order of their making', () => {
  const seconds = [1_900_000_003, 12, 1_900_000_001, 1_234_567_890, 1_900_000_002];
  const ids = seconds.map((second) => newId(new Date(second * 1000)));
  const sorted = [...seconds].sort((a, b) => a - b).map((second) => ids[seconds.indexOf(second)]);
  expect([...ids].sort()).toEqual(sorted);
});

test('no two of 10,000 ids of one moment are the same', () => {
  const at = new Date();
  expect(new Set(Array.from({ length: 10_000 }, () => newId(at))).size).toBe(10_000);
});

test.each([
  ['0123456789abcdef01234567', true],
  ['0123456789ABCDEF01234567', true],
  ['0123456789abcdef0123456', false],
  ['0123456789abcdef012345678', false],
  ['0123456789abcdef0123456g', false],
  ['0123456789abcdef01234567\n', false],
  [' 0123456789abcdef01234567', false],
  ['', false],
  [42, false],
  [null, false],
  [undefined, false],
  [['0123456789abcdef01234567'], false],
  [{ $gt: '' }, false],
])('%j as an id: %s', (value, expected) => {
  expect(isId(value)).toBe(expected);
});
