import { profiled, testDatabase } from '@app/testing';
import { createListReader, type ListReader } from '../../index.ts';

type Thing = { _id: string; size: number };

let database: Awaited<ReturnType<typeof testDatabase>>;
let reader: ListReader<Thing>;
let hurried: ListReader<Thing>;
beforeAll(async () => {
  database = await testDatabase();
  const things = database.connection.collection<Thing>('things');
  await things.insertMany(Array.from({ length: 5 }, (_, index) => ({ _id: String(index), size: index })) as never);
  await things.createIndex({ size: 1 }, { name: 'size' });
  reader = createListReader(things as never, {});
  hurried = createListReader(things as never, {}, { maxTimeMS: 50 });
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
  ['a page', () => hurried.page(slow, 2)],
  ['a count', () => hurried.count(slow, 2)],
  ['a group', () => hurried.group(slow, { _id: null })],
  [
    'a page of which another index might find few',
    () => hurried.page({ ...plan, others: [{ ...slow, hint: 'size' }] }, 2),
  ],
])('%s that takes too long is refused by a code', async (_what, read) => {
  await expect(read()).rejects.toMatchObject({ kind: 'unprocessable', code: 'list_too_broad' });
});

test('documents that are named are read by their ids, and not along the order, unless another condition finds fewer', async () => {
  const many = database.connection.collection<Thing & { kind: string }>('many');
  const ids = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(24, '0'));
  const later = Array.from({ length: 200 }, (_, index) => ({ _id: `z${index}`, size: index, kind: 'later' }));
  const named = ids.map((_id, index) => ({ _id, size: -index, kind: index < 3_500 ? 'many' : 'few' }));
  await many.insertMany([...named, ...later] as never);
  await many.createIndex({ size: 1, _id: 1 }, { name: 'size' });
  await many.createIndex({ kind: 1 }, { name: 'kind' });
  const listed = createListReader<Thing, Thing>(many as never, {});
  const byIds = { filter: { _id: { $in: ids } }, hint: '_id_' };
  const ofKind = (kind: string) => ({ filter: { kind }, hint: 'kind' });
  for (const [others, plan, first] of [
    [[byIds], 'IXSCAN { _id: 1 }', ids[0]],
    [[byIds, ofKind('many')], 'IXSCAN { _id: 1 }', ids[0]],
    [[byIds, ofKind('few')], 'IXSCAN { kind: 1 }', ids[3_500]],
    [[ofKind('many')], 'IXSCAN { size: 1, _id: 1 }', ids[0]],
  ] as const) {
    const filter = { $and: others.map((one) => one.filter) };
    const query = { filter, sort: { size: -1, _id: -1 } as const, hint: 'size', others };
    const found: Thing[] = [];
    const operations = await profiled(database, async () => found.push(...(await listed.page(query, 2))));
    expect([plan, found[0]?._id, operations.at(-1)?.planSummary]).toEqual([plan, first, plan]);
  }
});
