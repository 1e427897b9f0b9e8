import { isDuplicateKey } from '@app/runtime';
import { ensureIndexes, testDatabase } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import { addOutbox } from '../../outbox/outbox.ts';
import { createOutboxWriter, type OutboxWriter } from '../../outbox/outbox-writer.ts';
import { thingHappened } from '../rabbit.ts';

type Thing = { _id: string; version: number; claim: string };

const at = new Date('2026-11-21T10:00:00Z');
const count = 12;

let connection: Connection;
let drop: () => Promise<void>;
let writes: OutboxWriter<Thing>;
/** What the relay got to publish: the document and the numbers of its events. */
const published: [id: string, numbers: number[]][] = [];

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  const schema = new Schema<Thing>({ _id: String }, { collection: 'things', strict: false });
  schema.index({ claim: 1 }, { unique: true, name: 'claim' });
  addOutbox(schema);
  const model = connection.model('Thing', schema);
  await ensureIndexes(connection);
  const relay = {
    committed: (_model: unknown, id: string, events: { data: unknown }[]) =>
      void (events.length > 0 && published.push([id, events.map(({ data }) => (data as { n: number }).n)])),
  };
  writes = createOutboxWriter<Thing>({ model, relay, service: 'test' });
});
beforeEach(async () => {
  published.length = 0;
  await connection.collection('things').deleteMany({});
  const things = Array.from({ length: count }, (_, n) => ({ _id: `t${n}`, version: 1, claim: `c${n}` }));
  await connection.collection('things').insertMany(things as never);
});
afterAll(() => drop());

const event = (n: number) => thingHappened({ n }, at);
const stored = async () =>
  (await connection.collection('things').find({}).toArray()).map(({ _id, version, claim, outbox = [] }) => ({
    _id: String(_id),
    version,
    claim,
    published: (outbox as { data: { n: number } }[]).map(({ data }) => data.n),
  }));

test('each of several concurrent changes is saved with its events or not at all, and its caller knows which', async () => {
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
  const missing = { filter: { _id: 'none', version: 1 }, update: { $set: { version: 2 } }, events: [event(0)] };
  expect(await writes.update(missing)).toBe(false);
  const made = (n: number) => n % 3 !== 0;
  const events = (n: number) => (made(n) && n % 2 === 0 ? [n] : []);
  expect((await stored()).sort((a, b) => Number(a._id.slice(1)) - Number(b._id.slice(1)))).toEqual(
    Array.from({ length: count }, (_, n) => ({
      _id: `t${n}`,
      version: made(n) ? 2 : 1,
      claim: `c${n}`,
      published: events(n),
    })),
  );
  const withEvents = Array.from({ length: count }, (_, n) => n).filter((n) => events(n).length > 0);
  expect(published.sort((a, b) => (a[1][0] ?? 0) - (b[1][0] ?? 0))).toEqual(withEvents.map((n) => [`t${n}`, [n]]));
});

test('of two concurrent changes of one document one is made', async () => {
  const twice = Array.from({ length: 10 }, () =>
    writes.update({ filter: { _id: 't1', version: 1 }, update: { $set: { version: 2 } }, events: [event(1)] }),
  );
  expect((await Promise.all(twice)).filter((made) => made)).toHaveLength(1);
  expect((await stored()).find(({ _id }) => _id === 't1')).toMatchObject({ version: 2, published: [1] });
});

test('only a change that a unique index refuses fails, and its error names that index', async () => {
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
  expect(published.map(([id]) => id).sort()).toEqual(['t0', 't3']);
});

test('documents inserted together are published, except those that exist already', async () => {
  const outcomes = await Promise.allSettled(
    ['n1', 't1', 'n2'].map((id, n) => writes.insert({ _id: id, version: 1, claim: `n${n}` }, [event(n)], null)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(published.sort()).toEqual([
    ['n1', [0]],
    ['n2', [2]],
  ]);
});

test('a change that the driver cannot send fails none of the others', async () => {
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
  const published = (await stored()).filter(({ version }) => version === 2);
  expect(published.map((one) => one.published)).toEqual([[0], [1], [3]]);
});
