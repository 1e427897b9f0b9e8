import { companyChanged } from '@app/contracts';
import { toCloudEvents } from '@app/messaging';
import { answer, behaviours, eventually } from '@app/testing';
import { createDeliveryStore } from '../../deliveries/delivery-store.ts';
import { aCompany, startDispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

/** Far beyond the time of a test. */
const retryDelaysMs = [3_600_000];
const own = useDispatcher({ retryDelaysMs });

const failed = { status: 'failed', attempts: [{ statusCode: 500 }] };
const canceled = { ...failed, status: 'canceled', nextAttemptAt: null };

/** A subscriber whose first delivery has failed and waits for its retry. */
async function waiting(path: string, company = aCompany()) {
  own.receiver.behave(answer(500), path);
  const one = await subscriberOf(own, path, { company });
  await one.publish();
  await one.logged([failed]);
  return one;
}

test('while a retry waits, the delivery is failed and says when; redelivered by hand, it does not wait', async () => {
  const one = await waiting('/waits');
  const [delivery] = await one.log();
  const attempt = delivery?.attempts[0];
  const endedAt = Date.parse(attempt?.at ?? '') + (attempt?.durationMs ?? 0);
  expect(Date.parse(delivery?.nextAttemptAt ?? '')).toBe(endedAt + 3_600_000);
  own.receiver.behave(behaviours.ok, '/waits');
  await one.on(`deliveries/${delivery?.id}/redeliver`);
  await one.logged([{ status: 'succeeded' }]);
});

test.each([
  ['deactivation', (one: Awaited<ReturnType<typeof waiting>>) => one.change({ active: false })],
  ['deletion', (one: Awaited<ReturnType<typeof waiting>>) => one.remove()],
])('a waiting delivery is stopped by %s', async (name, stop) => {
  const one = await waiting(`/${name}`);
  await stop(one);
  await eventually(async () => {
    const record = await own.dispatcher.connection.collection('deliveries').findOne({ endpointId: one.id });
    expect(record).toMatchObject(canceled);
    expect(record).not.toHaveProperty('dueAt');
  });
  expect(one.at()).toHaveLength(1);
});

describe('deliveries that a process left waiting as it died while it stopped their endpoint', () => {
  const stop = (id: string, change: object) =>
    own.dispatcher.connection.collection('endpoints').updateOne({ _id: id as never }, change);

  test('are canceled before their endpoint becomes active again', async () => {
    const one = await waiting('/active-again');
    await stop(one.id, { $set: { active: false } });
    expect((await one.change({ active: true })).body).toMatchObject({ active: true });
    expect(await one.log()).toMatchObject([canceled]);
  });

  test('do not take with them what was made since the endpoint was activated again', async () => {
    const one = await waiting('/since');
    for (const active of [false, true]) await one.change({ active });
    await one.publish();
    await one.logged([failed, canceled]);
    await createDeliveryStore(own.dispatcher.connection).cancelWaiting(one.id, {});
    expect(await one.log()).toMatchObject([failed, canceled]);
  });

  test('are canceled at the next start, and no others', async () => {
    const [inactive, deleted, other] = [await waiting('/inactive'), await waiting('/gone'), await waiting('/kept')];
    await stop(inactive.id, { $set: { active: false } });
    await stop(deleted.id, { $set: { active: false, deletedAt: new Date() }, $unset: { slot: 1, sealedSecret: 1 } });
    const next = await startDispatcher({ retryDelaysMs }, own.dispatcher.namespace);
    const deliveries = next.connection.collection('deliveries');
    for (const { id } of [inactive, deleted]) {
      await eventually(async () => expect(await deliveries.findOne({ endpointId: id })).toMatchObject(canceled));
    }
    expect(await other.log()).toMatchObject([failed]);
    await next.stop();
  });
});

type Company = ReturnType<typeof aCompany>;

function state({ companyId }: Company, version: number, closed: boolean) {
  const at = new Date();
  const names = { id: companyId, name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  const company = { ...names, closed_at: closed ? at.toISOString() : null, version };
  return toCloudEvents('identity', [companyChanged({ company }, at, companyId)]);
}

const closures = () => own.dispatcher.connection.collection('company_closures');
const handled = ({ companyId }: Company, version: number) =>
  eventually(async () => expect(await closures().findOne({ _id: companyId as never })).toMatchObject({ version }));

test('nothing is sent for a closed company; what waited and what comes is kept for recover, and later events are sent', async () => {
  const closed = await waiting('/closed');
  const { company } = closed;
  const other = await subscriberOf(own, '/other');
  const audience = [company.companyId, other.company.companyId];
  const closing = state(company, 1, true);
  await own.dispatcher.publish(...closing);
  await closed.logged([canceled]);
  await own.dispatcher.publish(statusChanged(audience));
  await closed.ended(2, 'canceled');
  await other.ended(1, 'succeeded');
  // An endpoint created while the gateway may still have the caller's credential cached.
  const late = await subscriberOf(own, '/late', { company });
  await late.publish();
  await late.ended(1, 'canceled');
  expect([closed.at().length, late.at().length]).toEqual([1, 0]);

  own.receiver.behave(behaviours.ok, '/closed');
  await own.dispatcher.publish(...state(company, 2, false));
  await handled(company, 2);
  // Events that come late or twice: an older state changes nothing.
  await own.dispatcher.publish(...closing, ...state(company, 1, true));
  await eventually(async () => {
    await late.publish();
    expect((await late.log()).map(({ status }) => status)).toContain('succeeded');
  });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect((await closed.on('recover', { since })).status).toBe(202);
  await eventually(async () => {
    expect(new Set((await closed.log()).map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });
});

test('an endpoint that its company has switched off stays so when the company is open again', async () => {
  const one = await subscriberOf(own, '/off');
  await one.change({ active: false });
  // Out of order: the reopening arrives before the closing.
  for (const [version, closed] of [
    [2, false],
    [1, true],
    [4, false],
  ] as const) {
    await own.dispatcher.publish(...state(one.company, version, closed));
    if (!closed) await handled(one.company, version);
  }
  expect(await one.read()).toMatchObject({ active: false });
  await one.change({ active: true });
  await one.publish();
  await one.arrived(1);
});
