import { profiled, testDatabase } from '@app/testing';
import { createListReader, type ListReader, maxListedIds } from '../../index.ts';

type Thing = { _id: string; size: number };

let database: Awaited<ReturnType<typeof testDatabase>>;
let reader: ListReader<Thing>;
beforeAll(async () => {
  database = await testDatabase();
  const things = database.connection.collection<Thing>('things');
  await things.insertMany(Array.from({ length: 5 }, (_, index) => ({ _id: String(index), size: index })) as never);
  reader = createListReader(things as never, {}, { maxTimeMS: 50 });
});
afterAll(() => database.drop());

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

test('documents that are named by their ids are read by them alone, as many as may be named, and not along the order', async () => {
  const many = database.connection.collection<Thing>('many');
  const ids = Array.from({ length: maxListedIds + 1 }, (_, index) => String(index).padStart(24, '0'));
  const later = Array.from({ length: 200 }, (_, index) => ({ _id: `z${index}`, size: index }));
  await many.insertMany([...ids.map((_id, size) => ({ _id, size: -size })), ...later] as never);
  await many.createIndex({ size: 1, _id: 1 }, { name: 'size' });
  const listed = createListReader<Thing, Thing>(many as never, {});
  for (const [named, plan] of [
    [ids.slice(0, 3), 'IXSCAN { _id: 1 }'],
    [ids.slice(1), 'IXSCAN { _id: 1 }'],
    [ids, 'IXSCAN { size: 1, _id: 1 }'],
  ] as const) {
    const filter = { _id: { $in: named } };
    const query = { filter, sort: { size: -1, _id: -1 } as const, hint: 'size', others: [{ filter, hint: '_id_' }] };
    let found: Thing[] = [];
    const [read, ...more] = await profiled(database, async () => {
      found = await listed.page(query, 2);
    });
    expect([named.length, found.map(({ _id }) => _id)]).toEqual([named.length, named.slice(0, 2)]);
    expect([named.length, read?.planSummary, more]).toEqual([named.length, plan, []]);
  }
});
