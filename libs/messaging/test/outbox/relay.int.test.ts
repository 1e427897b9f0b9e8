import type { DomainEvent } from '@app/contracts';
import { localRead, metrics } from '@app/runtime';
import { ensureIndexes, eventually, TcpProxy, testDatabase, testInfra, testLogger } from '@app/testing';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Broker } from '../../broker.ts';
import { on } from '../../consuming/subscription.ts';
import { addOutbox, type WithOutbox } from '../../outbox/outbox.ts';
import { createRelay, type Relay } from '../../outbox/relay.ts';
import { openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

type Thing = WithOutbox & { _id: string };

let connection: Connection;
let drop: () => Promise<void>;
let rabbit: Rabbit;
let proxy: TcpProxy;
/** The broker of the relays, whose connection the tests may cut. */
let broker: Broker;
let model: Model<Thing>;
/** The numbers of what was published, in the order of their arrival. */
const received: number[] = [];
const relays: Relay[] = [];

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  const schema = new Schema<Thing>({ _id: String });
  addOutbox(schema);
  model = connection.model<Thing>('Thing', schema);
  await ensureIndexes(connection);
  rabbit = await openRabbit();
  proxy = await TcpProxy.start(testInfra().amqpUrl);
  broker = await rabbit.broker({ url: proxy.url(testInfra().amqpUrl) });
  const table = [on(thingHappened, async ({ data: { n } }) => void received.push(n))];
  await rabbit.subscribe(await rabbit.broker({ service: 'consumer' }), { queue: 'received', table }, 'consumer');
});
afterEach(async () => {
  proxy.heal();
  await eventually(() => broker.ready());
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await model.deleteMany({});
  received.length = 0;
});
afterAll(async () => {
  await rabbit.end();
  await proxy.close();
  await drop();
});

const logger = testLogger();

function relayOf(options: { sweepEveryMs?: number; sweptAfterMs?: number } = {}): Relay {
  const relay = createRelay({ broker, logger, sweepEveryMs: 30, sweptAfterMs: 60_000, ...options });
  relay.watch(model);
  relays.push(relay);
  return relay;
}

/** What a store does: the change and its events in one write. */
async function save(id: string, events: DomainEvent[]): Promise<void> {
  await model.updateOne({ _id: id }, { $push: { outbox: { $each: events } } }, { upsert: true });
}

/** Sent events are removed without waiting for a majority. */
const unsent = async (): Promise<string[]> =>
  (await model.find({ 'outbox.0': { $exists: true } }, null, localRead).lean()).map(({ _id }) => _id).sort();

/** Events of a moment in the past, each second older than the one after it. */
function old(...numbers: number[]): DomainEvent[] {
  return things(...numbers).map((event, index) => ({
    ...event,
    time: new Date(Date.now() - 3_600_000 + (numbers[index] ?? 0) * 1000).toISOString(),
  }));
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('committed events are published, and they alone leave the outbox', async () => {
  const relay = relayOf();
  const [first, second, third] = things(1, 2, 3) as [DomainEvent, DomainEvent, DomainEvent];
  await save('a', [first, second, third]);
  relay.committed(model, 'a', [first, second]);
  await eventually(() => expect(received).toEqual([1, 2]));
  await eventually(async () => expect((await model.findById('a').lean())?.outbox).toEqual([third]));
});

test('events that a crash left unsent are swept up; recent ones are left to their own process', async () => {
  await save('old', old(1, 2));
  await save('young', things(3));
  relayOf().start();
  await eventually(() => expect(received).toEqual([1, 2]));
  await eventually(async () => expect(await unsent()).toEqual(['young']));
});

test('what waits during an outage, and for how long, is seen in the metrics; then all of it is sent, oldest first', async () => {
  const seen = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
  proxy.refuse();
  // More than one batch.
  await model.insertMany(range(1, 250).map((n) => ({ _id: `w${n}`, outbox: old(251 - n) })));
  relayOf().start();
  await eventually(async () => expect(await seen('outbox_unsent_documents')).toBe(250));
  expect(await seen('outbox_oldest_unsent_seconds')).toBeGreaterThan(3_500);
  proxy.heal();
  await eventually(async () => expect(await seen('outbox_unsent_documents')).toBe(0));
  expect(await seen('outbox_oldest_unsent_seconds')).toBe(0);
  await eventually(() => expect(received).toHaveLength(250));
  expect(received).toEqual(range(1, 250));
  expect(await unsent()).toEqual([]);
});

test('later events of a document do not overtake those that could not be sent', async () => {
  const relay = relayOf({ sweptAfterMs: 1_000 });
  const commitEvent = async (n: number, given: Partial<DomainEvent> = {}) => {
    const events = things(n).map((event) => ({ ...event, ...given }));
    await save('a', events);
    relay.committed(model, 'a', events);
  };
  logger.lines.length = 0;
  proxy.refuse();
  await commitEvent(1);
  await eventually(() =>
    expect(logger.lines.map(({ message }) => message)).toContain(
      'events could not be published and stay in the outbox',
    ),
  );
  proxy.heal();
  await eventually(() => broker.ready());
  relay.start();
  await commitEvent(2);
  await eventually(() => expect(received).toEqual([1, 2]));
  // Once its backlog is sent, new events are published at once again: no sweep takes events with a future time.
  const time = new Date(Date.now() + 3_600_000).toISOString();
  await eventually(async () => {
    await commitEvent(3, { time });
    expect(received).toContain(3);
  });
});

test('a service that is always busy sweeps all the same', async () => {
  await save('old', old(1000));
  const relay = relayOf();
  relay.start();
  let busy = true;
  const working = (async () => {
    for (let n = 1; busy && n < 2000; n++) {
      const events = things(n % 1000);
      await save('busy', events);
      relay.committed(model, 'busy', events);
    }
  })();
  try {
    await eventually(() => expect(received).toContain(1000));
  } finally {
    busy = false;
    await working;
  }
});

test('stop sends the events that were added before', async () => {
  const relay = relayOf();
  const all = range(1, 1000).map((n) => ({ id: `d${n}`, events: things(n) }));
  await model.insertMany(all.map(({ id, events }) => ({ _id: id, outbox: events })));
  for (const { id, events } of all) relay.committed(model, id, events);
  await relay.stop();
  expect(await unsent()).toEqual([]);
  await eventually(() => expect(received).toEqual(range(1, 1000)));
});

test('the sweep reads its index and nothing else', async () => {
  await model.insertMany(range(1, 100).map((n) => ({ _id: `sent${n}` })));
  await save('a', old(1));
  const plan = await model.collection
    .find({ 'outbox.time': { $lt: new Date().toISOString() } })
    .explain('executionStats');
  expect(plan['executionStats']).toMatchObject({ totalKeysExamined: 1, totalDocsExamined: 1 });
});

/** Their type is longer than the broker allows: these events can never be sent. */
const unsendable = (n: number) => old(n).map((event) => ({ ...event, type: 'x'.repeat(300) }));

test('documents whose events cannot be sent delay no others, however many there are', async () => {
  await model.insertMany(range(1, 210).map((n) => ({ _id: `bad${n}`, outbox: unsendable(n) })));
  await save('good', old(300));
  const relay = relayOf();
  relay.start();
  await eventually(() => expect(received).toEqual([300]));
  // So they do not if both are published right after their commit, in one batch.
  const [bad, good] = [unsendable(1), things(301)];
  await save('good', good);
  relay.committed(model, 'bad1', bad);
  relay.committed(model, 'good', good);
  await eventually(() => expect(received).toEqual([300, 301]));
  await eventually(async () => expect(await unsent()).not.toContain('good'));
  expect(await unsent()).toHaveLength(210);
});

test('a failing sweep of one model does not stop that of another', async () => {
  const schema = new Schema<Thing>({ _id: String });
  addOutbox(schema);
  // Its index is not created, and the sweep's hint requires it.
  const broken = connection.model<Thing>('Broken', schema);
  await broken.collection.insertOne({ _id: 'a' } as never);
  await save('a', old(1));
  const relay = createRelay({ broker, logger, sweepEveryMs: 30, sweptAfterMs: 60_000 });
  relays.push(relay);
  relay.watch(broken);
  relay.watch(model);
  relay.start();
  await eventually(() => expect(received).toEqual([1]));
});
