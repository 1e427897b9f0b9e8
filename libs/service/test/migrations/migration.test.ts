import { compare, type Migration } from '../../migrations/migration.ts';

const named = (...ids: string[]): Migration[] => ids.map((id) => ({ id, up: async () => undefined }));

test('what is not recorded is pending, in order; what only a newer version knows is named', () => {
  const list = named('0001-a', '0002-b', '0003-c');
  const { pending, unknown } = compare(list, new Set(['0002-b', '0005-z', '0004-y']));
  expect(pending.map(({ id }) => id)).toEqual(['0001-a', '0003-c']);
  expect(unknown).toEqual(['0004-y', '0005-z']);
});

test.each([
  ['a gap', ['0001-a', '0003-c'], '0003-c'],
  ['two of one number', ['0001-a', '0001-b'], '0001-b'],
  ['another order', ['0002-b', '0001-a'], '0002-b'],
  ['a name without a number', ['buckets'], 'buckets'],
])('a list with %s is refused, naming the migration', (_what, ids, wrong) => {
  expect(() => compare(named(...ids), new Set())).toThrow(wrong);
});
