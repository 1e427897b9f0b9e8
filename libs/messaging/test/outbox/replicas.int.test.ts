import type { DomainEvent } from '@app/contracts';
import { connectMongo, openDatabaseClock } from '@app/runtime';
import { ensureIndexes, eventually, shiftClock, testDatabase, testInfra, testLogger } from '@app/testing';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Broker } from '../../broker.ts';
import { on } from '../../consuming/subscription.ts';
import { addOutbox, type WithOutbox } from '../../outbox/outbox.ts';
import { createRelay } from '../../outbox/relay.ts';
import { gate, openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

type Thing = WithOutbox & { _id: string };

const logger = testLogger();
const schema = new Schema<Thing>({ _id: String });
addOutbox(schema);
let connection: Connection;
let drop: () => Promise<void>;
let model: Model<Thing>;
let rabbit: Rabbit;
let received: number[] = [];
const connections: Connection[] = [];

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  model = connection.model<Thing>('Thing', schema);
  await ensureIndexes(connection);
  rabbit = await openRabbit();
  const table = [on(thingHappened, async ({ data: { n } }: DomainEvent<{ n: number }>) => void received.push(n))];
  const consumer = await rabbit.broker({ service: 'consumer' });
  await rabbit.subscribe(consumer, { queue: 'received', table, prefetch: 200 }, 'consumer');
});
beforeEach(async () => {
  received = [];
  await model.deleteMany({});
});
afterAll(async () => {
  await rabbit.end();
  await Promise.all(connections.map((one) => one.close()));
  await drop();
});

/** The relay of one process. */
async function replica(
  broker: Pick<Broker, 'publish'>,
  times: { leaseMs?: number; sweptAfterMs?: number; now?: () => Date } = {},
) {
  const own = await connectMongo({ url: testInfra().mongodbUrl, database: connection.name });
  connections.push(own);
  const relay = createRelay({ broker, logger, sweepEveryMs: 20, ...times });
  relay.watch(own.model<Thing>('Thing', schema));
  relay.start();
  return relay;
}

/** What an outage left: events of an hour ago, one in each outbox. */
async function leave(count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const time = new Date(Date.now() - 3_600_000).toISOString();
  await model.insertMany(things(...numbers).map((event, n) => ({ _id: `${n}`, outbox: [{ ...event, time }] })));
  return numbers;
}

const unsent = () => model.countDocuments({ 'outbox.0': { $exists: true } });

test('of several replicas one sends what an outage left: each event once', async () => {
  const numbers = await leave(1_000);
  const broker = await rabbit.broker();
  const relays = await Promise.all([1, 2, 3].map(() => replica(broker)));
  await eventually(async () => expect(await unsent()).toBe(0));
  await Promise.all(relays.map((relay) => relay.stop()));
  // The queue keeps the order, so nothing comes after this.
  await broker.publish(things(1_000));
  await eventually(() => expect(received).toContain(1_000));
  expect(received.toSorted((a, b) => a - b)).toEqual([...numbers, 1_000]);
});

test('a replica that dies while it sends what waits is relieved by another', async () => {
  const numbers = await leave(10);
  const begun = Promise.withResolvers<void>();
  const held = gate();
  const publish = () => {
    begun.resolve();
    return held.opened;
  };
  const dead = await replica({ publish }, { leaseMs: 500 });
  await begun.promise;
  const other = await replica(await rabbit.broker());
  await eventually(() => expect(received.toSorted((a, b) => a - b)).toEqual(numbers));
  held.open();
  await Promise.all([dead, other].map((relay) => relay.stop()));
});

test('a replica whose own clock is an hour ahead leaves recent events to their own process', async () => {
  await leave(1);
  await model.create({ _id: 'recent', outbox: things(1) });
  const now = await openDatabaseClock(connection);
  const broker = await rabbit.broker();
  const correct = shiftClock(() => 3_600_000);
  try {
    // Half an hour: what was left is older by its clock and in truth, and what is recent by its clock alone.
    const relay = await replica(broker, { now, sweptAfterMs: 1_800_000 });
    await eventually(async () =>
      expect(await model.countDocuments({ _id: '0', 'outbox.0': { $exists: true } })).toBe(0),
    );
    await relay.stop();
  } finally {
    correct();
  }
  expect(await unsent()).toBe(1);
});
