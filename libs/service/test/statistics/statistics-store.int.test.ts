import { modelOf } from '@app/runtime';
import { ensureIndexes, testDatabase, testLogger } from '@app/testing';
import { type Connection, type mongo, Schema } from 'mongoose';
import {
  type Countable,
  createStatistics,
  recount,
  type Statistics,
  type StatisticsSource,
  uncountedIndex,
} from '../../statistics/index.ts';

type Bill = Countable & { company: string; status: string; cents: number; minutes: number; places?: string[] };

const company = 'a'.repeat(24);
const schema = new Schema<Bill>({ _id: { type: String, required: true } }, { collection: 'bills', versionKey: false });
schema.index(uncountedIndex.fields, uncountedIndex.options);

let database: Awaited<ReturnType<typeof testDatabase>>;
let bills: mongo.Collection<Bill>;
let source: StatisticsSource<Bill>;
let statistics: Statistics;

beforeAll(async () => {
  database = await testDatabase();
  const { connection } = database;
  bills = modelOf(connection, 'Bill', schema).collection as unknown as mongo.Collection<Bill>;
  source = {
    collection: bills,
    projection: {},
    companies: ['$company'],
    entriesOf: async (found) => {
      if (found.some(({ status }) => status === 'unreadable')) throw new Error('a bill cannot be read');
      return found.map(({ company, status, cents, minutes, places = [] }) => [
        { figure: 'bills', company, day: '2026-11-27', split: [status], groups: {}, ht: cents, minutes, places },
      ]);
    },
  };
  statistics = of(connection);
  await ensureIndexes(connection);
});
afterEach(async () => {
  await bills.deleteMany({});
  await database.connection.collection('statistics').deleteMany({});
  await database.connection.collection('counted_documents').deleteMany({});
});
afterAll(() => database.drop());

const of = (connection: Connection) => createStatistics({ connection, source, logger: testLogger() });
const range = { company, figure: 'bills', dimension: '', from: '2026-11-27', to: '2026-11-28', places: null };
const shown = async () =>
  Object.fromEntries((await statistics.rows(range)).map(({ split: [status = ''], n, ht }) => [status, [n, ht]]));
const write = (_id: string, status: string, cents: number, places: string[] = []) =>
  bills.updateOne(
    { _id },
    { $set: { company, status, cents, minutes: cents, places, uncounted: [company] } },
    { upsert: true },
  );

test('a document counts once, at its present state, and what nothing counts in has no row', async () => {
  await write('1', 'open', 5);
  await write('2', 'open', 7);
  expect(await statistics.pending(company)).toBe(2);
  expect(await shown()).toEqual({});
  expect(await statistics.count()).toBe(2);
  expect(await shown()).toEqual({ open: [2, 12] });
  await write('1', 'paid', 4);
  await write('2', 'paid', 7);
  expect(await statistics.count()).toBe(2);
  expect(await statistics.count()).toBe(0);
  expect(await statistics.pending(company)).toBe(0);
  expect(await shown()).toEqual({ paid: [2, 11] });
});

test('a document that cannot be counted keeps no other from it', async () => {
  await write('1', 'unreadable', 5);
  await write('2', 'open', 7);
  await write('3', 'open', 1);
  expect(await statistics.count()).toBe(2);
  expect(await shown()).toEqual({ open: [2, 8] });
  expect(await statistics.pending(company)).toBe(1);
  await write('1', 'open', 5);
  expect(await statistics.count()).toBe(1);
  expect(await shown()).toEqual({ open: [3, 13] });
});

test('durations are read for the rows asked for', async () => {
  await write('1', 'open', 5);
  await write('2', 'open', 5);
  await write('3', 'open', 9);
  await statistics.count();
  const key = `${company}||bills||2026-11-27|||open`;
  expect(await statistics.minutes([key])).toEqual(
    new Map([
      [
        key,
        new Map([
          [5, 2],
          [9, 1],
        ]),
      ],
    ]),
  );
});

test('what is at several places counts once for who sees them, and not at all for others, wherever it moves', async () => {
  await write('1', 'open', 5, ['b', 'a', 'c']);
  await write('2', 'open', 70, ['b']);
  await write('3', 'open', 900);
  await statistics.count();
  const sums = async (...places: string[]) => (await statistics.rows({ ...range, places })).map(({ ht }) => ht);
  expect(await sums('a')).toEqual([5]);
  expect((await sums('c', 'b', 'elsewhere')).sort()).toEqual([5, 70]);
  expect((await sums('a', 'b', 'c')).sort()).toEqual([5, 70]);
  expect(await sums('elsewhere')).toEqual([]);
  expect(await shown()).toEqual({ open: [3, 975] });
  await write('1', 'open', 5, ['elsewhere']);
  await statistics.count();
  expect([await sums('a', 'c'), await sums('elsewhere')]).toEqual([[], [5]]);
  const many = Array.from({ length: 1_500 }, (_, index) => `place ${index}`);
  expect(await sums(...many, 'b')).toEqual([70]);
});

test('another company, figure, dimension or day is not read', async () => {
  await write('1', 'open', 5);
  await statistics.count();
  const others = [{ company: 'b' }, { figure: 'bill' }, { dimension: 'x' }, { from: '2026-11-26', to: '2026-11-27' }];
  for (const other of others) expect(await statistics.rows({ ...range, ...other })).toEqual([]);
});

test('several replicas that count while documents change count each exactly once', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  const replicas = [statistics, of(database.connection)];
  const counting = replicas.map(async (one) => {
    for (let round = 0; round < 5; round++) await one.count();
  });
  const writing = ids.map(async (id, index) => {
    for (let round = 1; round <= 5; round++) await write(id, round % 2 === 0 ? 'open' : 'paid', index * round);
  });
  await Promise.all([...counting, ...writing]);
  await statistics.count();
  const sum = ids.reduce((total, _, index) => total + index * 5, 0);
  expect(await shown()).toEqual({ paid: [40, sum] });
});

test('a recount forgets the rows, and has every document counted again', async () => {
  for (const id of ['1', '2', '3']) await write(id, 'open', 10);
  await statistics.count();
  await database.connection.collection('statistics').updateMany({ n: { $gt: 0 } }, { $inc: { n: 7 } });
  expect(await recount(database.connection, source)).toBe(3);
  expect(await shown()).toEqual({});
  expect(await statistics.pending(company)).toBe(3);
  await statistics.count();
  expect(await shown()).toEqual({ open: [3, 30] });
});

test('documents are found by what they count in now: by figure, first parts and days, and no other company finds them', async () => {
  await write('1', 'open', 5);
  await write('2', 'open', 7);
  await write('3', 'opened', 7);
  await statistics.count();
  const found = async (asked: object, limit = 10) =>
    (await statistics.documents({ company, figure: 'bills', split: [], ...asked }, limit)).sort();
  expect(await found({})).toEqual(['1', '2', '3']);
  expect(await found({}, 2)).toHaveLength(2);
  expect(await found({ split: ['open'], from: '2026-11-27', to: '2026-11-28' })).toEqual(['1', '2']);
  for (const none of [
    { split: ['pen'] },
    { from: '2026-11-28' },
    { to: '2026-11-27' },
    { company: 'b' },
    { figure: 'bill' },
  ])
    expect(await found(none)).toEqual([]);
  await write('1', 'paid', 5);
  await statistics.count();
  expect(await found({ split: ['open'] })).toEqual(['2']);
  // Until it is counted again it counts in nothing.
  await recount(database.connection, source);
  expect(await found({})).toEqual([]);
});
