import { newId } from '@app/kernel';
import { ensureIndexes, eventually, testDatabase } from '@app/testing';
import type { Lease } from '@app/work-queue';
import { mongo } from 'mongoose';
import type { Attempt } from '../../attempt.ts';
import type { Delivery, Outcome } from '../../deliveries/delivery.ts';
import { createDeliveryLogStore, type DeliveryLogStore } from '../../deliveries/delivery-log-store.ts';
import { createDeliveryStore, type DeliveryStore } from '../../deliveries/delivery-store.ts';
import type { Endpoint, EndpointWithSecret } from '../../endpoints/endpoint.ts';
import { createEndpointStore, type EndpointStore } from '../../endpoints/endpoint-store.ts';
import { quietRelay } from '../quiet-relay.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let deliveries: DeliveryStore;
let log: DeliveryLogStore;
let endpoints: EndpointStore;

beforeAll(async () => {
  database = await testDatabase();
  deliveries = createDeliveryStore(database.connection);
  log = createDeliveryLogStore(database.connection);
  endpoints = createEndpointStore(database.connection, quietRelay);
  await ensureIndexes(database.connection);
});
afterAll(() => database.drop());

const past = () => new Date(Date.now() - 1_000);
const future = () => new Date(Date.now() + 60_000);
const lease = (until = future()): Lease => ({ id: newId(), from: new Date(), until });

function aDelivery(): Delivery {
  return {
    id: newId(),
    endpointId: newId(),
    event: 'ticket.quote_added',
    body: '{}',
    status: 'pending',
    tries: 0,
    attempts: [],
    createdAt: past(),
    nextAttemptAt: past(),
  };
}

function anEndpoint(id = newId()): EndpointWithSecret {
  const at = new Date();
  return {
    id,
    companyId: newId(),
    name: 'ERP',
    url: 'https://erp.example.com/',
    events: ['ticket.quote_added'],
    active: true,
    consecutiveFailures: 0,
    disabledReason: null,
    createdAt: at,
    updatedAt: at,
    sealedSecret: '',
  };
}

/** A stored delivery, under the lease if one is given. */
async function stored(held: Lease | null = null): Promise<Delivery> {
  const delivery = aDelivery();
  await deliveries.insert([{ delivery, lease: held }]);
  return delivery;
}

function attempt(statusCode: number): Attempt {
  const error = statusCode === 200 ? null : 'status_not_2xx';
  return { at: new Date(), statusCode, durationMs: 5, error, responseBody: '' };
}
const success: Outcome = { status: 'succeeded', nextAttemptAt: null };
const retry = (): Outcome => ({ status: 'failed', nextAttemptAt: future() });

test('what is due is counted, with the time since when; what is leased, waits or has ended is not', async () => {
  const at = new Date();
  const before = await log.countDue(at);
  const since = new Date(at.getTime() - 3_600_000);
  const due = { ...aDelivery(), nextAttemptAt: since };
  await deliveries.insert([
    { delivery: due, lease: null },
    { delivery: aDelivery(), lease: null },
    { delivery: { ...aDelivery(), nextAttemptAt: future() }, lease: null },
    { delivery: { ...aDelivery(), status: 'succeeded', nextAttemptAt: null }, lease: null },
    { delivery: aDelivery(), lease: lease() },
  ]);
  expect(await log.countDue(at)).toBe(before + 2);
  expect(await log.oldestDue(at)).toEqual(since);
  await deliveries.claim(due.endpointId, 1, lease());
  // A claim waits for no majority, and is counted once it has one.
  await eventually(async () => expect(await log.countDue(at)).toBe(before + 1));
  expect(await log.oldestDue(new Date(0))).toBeNull();
});

test('what waits for its turn at an endpoint that is being sent to is not overdue, what waits for a retry does not hide it', async () => {
  const at = new Date();
  const before = (ms: number) => new Date(at.getTime() - ms);
  const hanging = { ...aDelivery(), nextAttemptAt: before(7_200_000) };
  const forgotten = { ...aDelivery(), nextAttemptAt: before(7_100_000) };
  const waiting = { ...aDelivery(), endpointId: forgotten.endpointId, nextAttemptAt: future() };
  await deliveries.insert([
    { delivery: hanging, lease: null },
    { delivery: forgotten, lease: null },
    { delivery: waiting, lease: null },
  ]);
  expect(await log.oldestDue(at)).toEqual(hanging.nextAttemptAt);
  await deliveries.insert([{ delivery: { ...aDelivery(), endpointId: hanging.endpointId }, lease: lease() }]);
  expect(await log.oldestDue(at)).toEqual(forgotten.nextAttemptAt);
  await deliveries.claim(forgotten.endpointId, 1, lease());
});

test('a delivery is claimed by one of many at once', async () => {
  const { endpointId } = await stored();
  const claims = await Promise.all(Array.from({ length: 10 }, () => deliveries.claim(endpointId, 5, lease())));
  expect(claims.flat()).toHaveLength(1);
});

test('a leased delivery is not due until its lease ends, and then again', async () => {
  const held = await stored(lease());
  expect(await deliveries.claim(held.endpointId, 5, lease())).toEqual([]);
  const lapsed = await stored(lease(past()));
  expect(await deliveries.claim(lapsed.endpointId, 5, lease())).toMatchObject([{ id: lapsed.id }]);
});

test('a worker with an old lease cannot record a result, before or after the newer one', async () => {
  const late = lease(past());
  const { id, endpointId } = await stored(late);
  const newer = lease();
  await deliveries.claim(endpointId, 5, newer);
  expect(await deliveries.record({ id, lease: late, attempt: attempt(500), outcome: retry() })).toBe(false);
  expect(await log.find(endpointId, id)).toMatchObject({ status: 'pending', tries: 0, attempts: [] });
  expect(await deliveries.record({ id, lease: newer, attempt: attempt(200), outcome: success })).toBe(true);
  expect(await deliveries.record({ id, lease: late, attempt: attempt(500), outcome: retry() })).toBe(false);
  const recorded = await log.find(endpointId, id);
  expect(recorded).toMatchObject({ status: 'succeeded', tries: 1, nextAttemptAt: null });
  expect(recorded?.attempts).toMatchObject([{ statusCode: 200 }]);
});

test('results of many at once: each by the holder of its lease; a canceled delivery keeps the attempt alone', async () => {
  const [mine, late, newer, lost] = [lease(), lease(past()), lease(), lease()];
  const done = await stored(mine);
  const taken = await stored(late);
  await deliveries.claim(taken.endpointId, 1, newer);
  const canceled = await stored(lost);
  await deliveries.cancelWaiting(canceled.endpointId, {});
  await deliveries.recordAll([
    { id: done.id, lease: mine, attempt: attempt(200), outcome: success },
    { id: taken.id, lease: late, attempt: attempt(200), outcome: success },
    { id: canceled.id, lease: lost, attempt: attempt(500), outcome: retry() },
  ]);
  expect(await log.find(done.endpointId, done.id)).toMatchObject({ status: 'succeeded', tries: 1 });
  expect(await log.find(taken.endpointId, taken.id)).toMatchObject({ status: 'pending', tries: 0, attempts: [] });
  expect(await log.find(canceled.endpointId, canceled.id)).toMatchObject({
    status: 'canceled',
    attempts: [{ statusCode: 500 }],
  });
  expect(await deliveries.record({ id: taken.id, lease: newer, attempt: attempt(200), outcome: success })).toBe(true);
});

test('of a batch, the ids of those that were not stored yet are returned', async () => {
  const known = await stored();
  const fresh = [aDelivery(), aDelivery()];
  const added = await deliveries.insert([known, ...fresh].map((delivery) => ({ delivery, lease: null })));
  expect([...added].sort()).toEqual(fresh.map(({ id }) => id).sort());
});

test('a failed delivery is due again at its retry', async () => {
  const held = lease();
  const { id, endpointId } = await stored(held);
  const outcome = retry();
  await deliveries.record({ id, lease: held, attempt: attempt(500), outcome });
  expect(await deliveries.claim(endpointId, 5, lease())).toEqual([]);
  expect(await log.find(endpointId, id)).toMatchObject({ status: 'failed', nextAttemptAt: outcome.nextAttemptAt });
});

test('a delivery that is canceled during its attempt stays canceled, with the attempt, unless it succeeded', async () => {
  const [failing, arriving] = [lease(), lease()];
  const failed = await stored(failing);
  const arrived = await stored(arriving);
  for (const { endpointId } of [failed, arrived]) await deliveries.cancelWaiting(endpointId, {});
  const recorded = { id: failed.id, lease: failing, attempt: attempt(500), outcome: retry() };
  expect(await deliveries.record(recorded)).toBe(false);
  expect(await log.find(failed.endpointId, failed.id)).toMatchObject({
    status: 'canceled',
    nextAttemptAt: null,
    attempts: [{ statusCode: 500 }],
  });
  expect(await deliveries.claim(failed.endpointId, 5, lease())).toEqual([]);
  await deliveries.record({ id: arrived.id, lease: arriving, attempt: attempt(200), outcome: success });
  expect(await log.find(arrived.endpointId, arrived.id)).toMatchObject({ status: 'succeeded' });
});

test('canceling spares ended deliveries and those made since the endpoint was activated again', async () => {
  const held = lease();
  const done = await stored(held);
  await deliveries.record({ id: done.id, lease: held, attempt: attempt(200), outcome: success });
  const waiting = { ...aDelivery(), enabling: 1 };
  await deliveries.insert([{ delivery: waiting, lease: null }]);
  await deliveries.cancelWaiting(done.endpointId, {});
  await deliveries.cancelWaiting(waiting.endpointId, {});
  expect(await log.find(done.endpointId, done.id)).toMatchObject({ status: 'succeeded' });
  expect(await log.find(waiting.endpointId, waiting.id)).toMatchObject({ status: 'pending' });
});

test.each(['recover', 'redeliver'] as const)(
  'what %s restarted on an endpoint that is active again survives a late end of its deactivation, and not the next one',
  async (action) => {
    const endpoint = anEndpoint();
    await endpoints.add(endpoint, [], null);
    const inactive = (await endpoints.update(endpoint, { active: false }, { at: new Date(), events: [] })) as Endpoint;
    const active = (await endpoints.update(endpoint, { active: true }, { at: new Date(), events: [] })) as Endpoint;
    const canceled = { ...aDelivery(), endpointId: endpoint.id, status: 'canceled' as const, nextAttemptAt: null };
    await deliveries.insert([{ delivery: canceled, lease: null }]);
    if (action === 'recover') expect(await log.recover(active, { since: new Date(0) }, new Date())).toBe(1);
    else await log.redeliver(active, canceled.id, { at: new Date(), write: null });

    await deliveries.cancelWaiting(endpoint.id, inactive);
    expect(await log.find(endpoint.id, canceled.id)).toMatchObject({ status: 'pending' });
    const again = (await endpoints.update(active, { active: false }, { at: new Date(), events: [] })) as Endpoint;
    await deliveries.cancelWaiting(endpoint.id, again);
    expect(await log.find(endpoint.id, canceled.id)).toMatchObject({ status: 'canceled' });
  },
);

test('a released delivery is due at once, unless it was canceled', async () => {
  const [held, lost] = [lease(), lease()];
  const given = await stored(held);
  const canceled = await stored(lost);
  await deliveries.cancelWaiting(canceled.endpointId, {});
  const leased = [
    { id: given.id, lease: held },
    { id: canceled.id, lease: lost },
  ];
  await deliveries.release(leased, past());
  expect(await deliveries.claim(given.endpointId, 5, lease())).toHaveLength(1);
  expect(await deliveries.claim(canceled.endpointId, 5, lease())).toEqual([]);
});

test('a delivery that is being attempted is not restarted', async () => {
  const held = lease();
  const { id, endpointId } = await stored(held);
  await log.redeliver(anEndpoint(endpointId), id, { at: new Date(), write: null });
  expect(await deliveries.claim(endpointId, 5, lease())).toEqual([]);
  expect(await deliveries.record({ id, lease: held, attempt: attempt(200), outcome: success })).toBe(true);
});

test('a record keeps its last 12 attempts, and stays below 48 KB whatever the receiver answers', async () => {
  const { id, endpointId } = await stored();
  // The first kilobyte of an answer, of characters that take the most bytes.
  const responseBody = '\ufffd'.repeat(1_024);
  for (let n = 1; n <= 15; n++) {
    const held = lease();
    await deliveries.claim(endpointId, 1, held);
    const outcome: Outcome = { status: 'failed', nextAttemptAt: past() };
    await deliveries.record({ id, lease: held, attempt: { ...attempt(500 + n), responseBody }, outcome });
  }
  const kept = (await log.find(endpointId, id))?.attempts ?? [];
  expect(kept.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 12 }, (_, n) => 504 + n));
  const record = await database.connection.collection('deliveries').findOne({ _id: id as never });
  expect(mongo.BSON.calculateObjectSize(record ?? {})).toBeLessThan(48 * 1024);
});
