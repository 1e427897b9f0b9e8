import { setTimeout as delay } from 'node:timers/promises';
import { type Behaviour, behaviours, eventually } from '@app/testing';
import { deliveryId } from '../../deliveries/delivery.ts';
import { type Dispatcher, startDispatcher, statusChanged, testSettings, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const own = useDispatcher();
let two: Dispatcher;
beforeAll(async () => {
  two = await startDispatcher({}, own.dispatcher.namespace);
});
afterAll(() => two.stop());

/** How long a replica uses its cached endpoint. */
const freshMs = 1_000;
const perReplica = testSettings.endpointConcurrency;
const eventsFor = (count: number, ...companies: string[]) =>
  Array.from({ length: count }, () => statusChanged(companies));

/** A subscriber whose requests are answered when `answerAll` is called. */
async function held(path: string, by = own.dispatcher) {
  const waiting: (() => void)[] = [];
  const hold: Behaviour = (...given) => void waiting.push(() => behaviours.ok(...given));
  own.receiver.behave(hold, path);
  const one = await subscriberOf({ ...own, dispatcher: by }, path);
  const answerAll = () => {
    for (const end of waiting.splice(0)) end();
  };
  return { ...one, answerAll };
}

test('two replicas share a burst far beyond their limits in memory, and each event arrives once', async () => {
  const one = await subscriberOf(own, '/shared');
  await one.publish(100);
  await one.ended(100, 'succeeded');
  expect(new Set(one.at().map(({ headers }) => headers['x-service-delivery'])).size).toBe(100);
  expect(one.at()).toHaveLength(100);
});

test('an endpoint receives the very next event, whichever replica created it and whichever handles the event', async () => {
  // Both replicas have looked this company up before.
  const { company, publish, arrived } = await subscriberOf(own, '/before');
  await publish(20);
  await arrived(20);
  for (let n = 0; n < 9; n++) {
    await subscriberOf(n % 2 ? own : { ...own, dispatcher: two }, `/next-${n}`, { company });
    const events = Array.from({ length: 4 }, () => statusChanged([company.companyId], `After ${n}`));
    await own.dispatcher.publish(...events);
  }
  // It may also receive an event from before its creation, which is looked up after it.
  const after = (n: number) =>
    own.receiver.at(`/next-${n}`).filter(({ body }) => Number(/After (\d)/.exec(body.toString())?.[1] ?? -1) >= n);
  await eventually(() => {
    const received = Array.from({ length: 9 }, (_, n) => after(n).length);
    expect(received).toEqual(Array.from({ length: 9 }, (_, n) => 4 * (9 - n)));
  });
});

test('a deleted or deactivated endpoint receives no event after that, through any replica', async () => {
  const [deleted, inactive] = [await subscriberOf(own, '/deleted'), await subscriberOf(own, '/inactive')];
  const both = [deleted.company.companyId, inactive.company.companyId];
  await own.dispatcher.publish(statusChanged(both));
  for (const one of [deleted, inactive]) await one.arrived(1);
  await two.call(deleted.company, 'delete', deleted.path);
  await two.call(inactive.company, 'patch', inactive.path, { active: false });
  await own.dispatcher.publish(...eventsFor(20, ...both));
  await inactive.ended(20, 'canceled');
  expect([deleted.at().length, inactive.at().length]).toEqual([1, 1]);
});

test('after an endpoint was changed through one replica, no other sends the deliveries that it holds as before', async () => {
  const [deleted, inactive, moved] = [await held('/gone'), await held('/off'), await held('/old')];
  const all = [deleted, inactive, moved];
  for (const { publish } of all) await publish(24);
  for (const { arrived } of all) await arrived(2 * perReplica);
  await two.call(deleted.company, 'delete', deleted.path);
  await two.call(inactive.company, 'patch', inactive.path, { active: false });
  await two.call(moved.company, 'patch', moved.path, { url: own.receiver.url('/new') });
  await delay(freshMs);
  for (const { answerAll } of all) answerAll();
  const deliveries = own.dispatcher.connection.collection('deliveries');
  // Attempts that were started may end.
  for (const { id } of [deleted, inactive]) {
    for (const [status, count] of [
      ['succeeded', 2 * perReplica],
      ['canceled', 24 - 2 * perReplica],
    ] as const) {
      await eventually(async () => expect(await deliveries.countDocuments({ endpointId: id, status })).toBe(count));
    }
  }
  await moved.ended(24, 'succeeded');
  expect(own.receiver.at('/new')).toHaveLength(24 - 2 * perReplica);
  for (const { at } of all) expect(at()).toHaveLength(2 * perReplica);
});

describe('of one replica alone', () => {
  let alone: Dispatcher;
  beforeAll(async () => {
    alone = await startDispatcher();
  });
  afterAll(async () => {
    await alone.drop();
    await alone.stop();
  });

  test('waiting deliveries go to the new url at once', async () => {
    const { at, arrived, publish, change, answerAll } = await held('/changed', alone);
    await publish(12);
    await arrived(perReplica);
    await change({ url: own.receiver.url('/changed-to') });
    answerAll();
    await eventually(() => expect(own.receiver.at('/changed-to')).toHaveLength(8));
    expect(at()).toHaveLength(perReplica);
  });

  test('a delivery that is being stored while its endpoint changes goes to the new url before its lease ends', async () => {
    const { company, id, at, arrived, change, answerAll } = await held('/stored', alone);
    const events = eventsFor(5, company.companyId);
    // An insert of the same id waits until this transaction has ended.
    const deliveries = alone.connection.collection<{ _id: string }>('deliveries');
    const session = await alone.connection.startSession();
    session.startTransaction();
    for (const event of events) await deliveries.insertOne({ _id: deliveryId(event, id) }, { session });
    await alone.publish(...events);
    await arrived(perReplica);
    await eventually(async () => expect(await insertsUnderWay()).toBeGreaterThan(0));
    await change({ url: own.receiver.url('/stored-to') });
    await session.abortTransaction();
    await session.endSession();
    answerAll();
    await eventually(() => expect(own.receiver.at('/stored-to')).toHaveLength(1));
    expect(at()).toHaveLength(perReplica);
  });

  /** The number of running inserts of deliveries in MongoDB. */
  async function insertsUnderWay(): Promise<number> {
    const { name } = alone.connection;
    const admin = alone.connection.getClient().db('admin');
    const { inprog } = await admin.command({ currentOp: 1, op: 'insert', ns: `${name}.deliveries` });
    return inprog.length;
  }

  test('an event that is redelivered during its first attempt, or after it, causes no second one', async () => {
    const { company, at, arrived, answerAll, ended } = await held('/twice', alone);
    const event = statusChanged([company.companyId]);
    await alone.publish(event);
    await arrived(1);
    await alone.publish(event, event, statusChanged([company.companyId]));
    await arrived(2);
    answerAll();
    await ended(2, 'succeeded');
    await alone.publish(event, statusChanged([company.companyId]));
    await arrived(3);
    answerAll();
    await ended(3, 'succeeded');
    expect(at()).toHaveLength(3);
  });

  test('an attempt that takes long is in the log before it ends, and its event acknowledged', async () => {
    const { company, arrived, logged, answerAll, publish } = await held('/long', alone);
    await publish();
    await logged([{ status: 'pending', attempts: [] }]);
    // An unacknowledged message would go to the next process.
    await alone.broker.close();
    const next = await startDispatcher({}, alone.namespace);
    await next.publish(statusChanged([company.companyId]));
    await arrived(2);
    answerAll();
    await logged([{ status: 'succeeded' }, { status: 'succeeded' }]);
    await arrived(2);
    await next.stop();
  });
});
