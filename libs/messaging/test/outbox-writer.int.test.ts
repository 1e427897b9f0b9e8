import { ensureIndexes, isDuplicateKey } from '@app/runtime';
import { testDatabase } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import { addOutbox } from '../outbox.ts';
import { createOutboxWriter, type OutboxWriter } from '../outbox-writer.ts';
import { thingHappened } from './rabbit.ts';

type Thing = { _id: string; version: number; claim: string };

const at = new Date('2026-11-21T10:00:00Z');
const count = 12;

let connection: Connection;
let drop: () => Promise<void>;
let writes: OutboxWriter<Thing>;
/** What the relay was told of: the document and the numbers of its events. */
const told: [id: string, numbers: number[]][] = [];

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  const schema = new Schema<Thing>({ _id: String }, { collection: 'things', strict: false });
  schema.index({ claim: 1 }, { unique: true, name: 'claim' });
  addOutbox(schema as unknown as Schema);
  const model = connection.model('Thing', schema);
  await ensureIndexes(connection);
  const relay = {
    committed: (_model: unknown, id: string, events: { data: unknown }[]) =>
      void (events.length > 0 && told.push([id, events.map(({ data }) => (data as { n: number }).n)])),
  };
  writes = createOutboxWriter<Thing>({ model, relay, service: 'test' });
});
beforeEach(async () => {
  told.length = 0;
  await connection.collection('things').deleteMany({});
  const things = Array.from({ length: count }, (_, n) => ({ _id: `t${n}`, version: 1, claim: `c${n}` }));
  await connection.collection('things').insertMany(things as never);
});
afterAll(() => drop());

const event = (n: number) => thingHappened({ n }, at);
const stored = async () =>
  (await connection.collection('things').find({}).toArray()).map(({ _id, version, claim, outbox = [] }) => ({
    ...{ _id: String(_id), version, claim },
    told: (outbox as { data: { n: number } }[]).map(({ data }) => data.n),
  }));

test('of changes that come at once each is made with its events, or not at all, and knows which', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      writes.update({
        filter: { _id: `t${n}`, version: n % 3 === 0 ? 7 : 1 },
        update: { $set: { version: 2 } },
        events: n % 2 === 0 ? [event(n)] : [],
      }),
    ),
  );
  expect(outcomes).toEqual(Array.from({ length: count }, (_, n) => n % 3 !== 0));
  const made = (n: number) => n % 3 !== 0;
  const events = (n: number) => (made(n) && n % 2 === 0 ? [n] : []);
  expect((await stored()).sort((a, b) => Number(a._id.slice(1)) - Number(b._id.slice(1)))).toEqual(
    Array.from({ length: count }, (_, n) => ({
      ...{ _id: `t${n}`, version: made(n) ? 2 : 1, claim: `c${n}`, told: events(n) },
    })),
  );
  const tellable = Array.from({ length: count }, (_, n) => n).filter((n) => events(n).length > 0);
  expect(told.sort((a, b) => (a[1][0] ?? 0) - (b[1][0] ?? 0))).toEqual(tellable.map((n) => [`t${n}`, [n]]));
});

test('a change of what is not there makes nothing, alone and among others', async () => {
  const change = (id: string) => ({
    filter: { _id: id, version: 1 },
    update: { $set: { version: 2 } },
    events: [event(0)],
  });
  expect(await writes.update(change('none'))).toBe(false);
  const many = ['none', 't0', 'none', 't1', 'other'].map((id) => writes.update(change(id)));
  expect(await Promise.all(many)).toEqual([false, true, false, true, false]);
  expect(await stored()).toHaveLength(count);
});

test('of two changes of the same that come at once one is made', async () => {
  const twice = Array.from({ length: 10 }, () =>
    writes.update({ filter: { _id: 't1', version: 1 }, update: { $set: { version: 2 } }, events: [event(1)] }),
  );
  expect((await Promise.all(twice)).filter((made) => made)).toHaveLength(1);
  expect((await stored()).find(({ _id }) => _id === 't1')).toMatchObject({ version: 2, told: [1] });
});

test('a change that a unique index refuses rejects alone, and says by which', async () => {
  const claim = (id: string, wanted: string) =>
    writes.update({
      filter: { _id: id, version: 1 },
      update: { $set: { version: 2, claim: wanted } },
      events: [event(1)],
    });
  const outcomes = await Promise.allSettled([
    claim('t0', 'new'),
    claim('t1', 'c2'),
    claim('t3', 'other'),
    claim('t4', 'c5'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(isDuplicateKey(refused, 'claim')).toBe(true);
  expect(told.map(([id]) => id).sort()).toEqual(['t0', 't3']);
});

test('what is inserted at once is told of, but for what is there already', async () => {
  const outcomes = await Promise.allSettled(
    ['n1', 't1', 'n2'].map((id, n) => writes.insert({ _id: id, version: 1, claim: `n${n}` }, [event(n)])),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(told.sort()).toEqual([
    ['n1', [0]],
    ['n2', [2]],
  ]);
});

test('a change that the driver cannot send keeps none of the others from being made', async () => {
  const endless: { within?: object } = {};
  endless.within = endless;
  const change = (n: number, set: object) =>
    writes.update({ filter: { _id: `t${n}`, version: 1 }, update: { $set: set }, events: [event(n)] });
  const outcomes = await Promise.allSettled([
    change(0, { version: 2 }),
    change(1, { version: 2 }),
    change(2, endless),
    change(3, { version: 2 }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const told = (await stored()).filter(({ version }) => version === 2);
  expect(told.map((one) => one.told)).toEqual([[0], [1], [3]]);
});
