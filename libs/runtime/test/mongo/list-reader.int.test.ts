import { testDatabase } from '@app/testing';
import { createListReader, type ListReader } from '../../index.ts';

type Thing = { _id: string; size: number };

let drop: () => Promise<void>;
let reader: ListReader<Thing>;
beforeAll(async () => {
  const database = await testDatabase();
  drop = database.drop;
  const things = database.connection.collection<Thing>('things');
  await things.insertMany(Array.from({ length: 5 }, (_, index) => ({ _id: String(index), size: index })) as never);
  reader = createListReader(things as never, {}, { maxTimeMS: 50 });
});
afterAll(() => drop());

const plan = { filter: {}, sort: { _id: -1 } as const, hint: '_id_', others: [] };
/** Some tenths of a second a document. */
const counting = { input: { $range: [0, 500_000] }, initialValue: 1, in: { $add: ['$$value', 1] } };
const slow = { ...plan, filter: { $expr: { $reduce: counting } } };

test('a list is read by its plan', async () => {
  expect((await reader.page(plan, 2)).map(({ _id }) => _id)).toEqual(['4', '3']);
  expect(await reader.count(plan, 3)).toBe(3);
  expect(await reader.group(plan, { _id: null, sum: { $sum: '$size' } })).toEqual([{ _id: null, sum: 10 }]);
});

test.each([
  ['a page', () => reader.page(slow, 2)],
  ['a count', () => reader.count(slow, 2)],
  ['a group', () => reader.group(slow, { _id: null })],
  ['a page of which another index might find few', () => reader.page({ ...plan, others: [slow] }, 2)],
])('%s that takes too long is refused by a code', async (_what, read) => {
  await expect(read()).rejects.toMatchObject({ kind: 'unprocessable', code: 'list_too_broad' });
});
