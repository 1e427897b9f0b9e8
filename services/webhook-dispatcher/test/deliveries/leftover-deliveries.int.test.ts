import { answer, eventually, type Receiver, startReceiver } from '@app/testing';
import { createDeliveryStore } from '../../deliveries/delivery-store.ts';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';

/** Far beyond the time of a test. */
const retryDelaysMs = [3_600_000];
const company = aCompany();
let receiver: Receiver;
let dispatcher: Dispatcher;
let id: string;

/** A delivery waits for its retry; the process that stopped its endpoint died before it canceled the delivery. */
beforeEach(async () => {
  receiver = await startReceiver();
  receiver.behave(answer(500));
  dispatcher = await startDispatcher({ retryDelaysMs });
  ({ id } = await dispatcher.endpoint(company, receiver.url()));
  await dispatcher.publish(statusChanged([company.companyId]));
  await eventually(async () => {
    expect(await dispatcher.deliveries(company, id)).toMatchObject([{ status: 'failed' }]);
  });
});
afterEach(async () => {
  await dispatcher.drop();
  await dispatcher.stop();
  await receiver.close();
});

async function stop(change: object): Promise<void> {
  await dispatcher.connection.collection('endpoints').updateOne({ _id: id as never }, change);
}

const canceled = { status: 'canceled', nextAttemptAt: null, attempts: [{ statusCode: 500 }] };

test('leftover deliveries are canceled before their endpoint becomes active again', async () => {
  await stop({ $set: { active: false } });
  const path = `/webhooks/endpoints/${id}`;
  expect((await dispatcher.call(company, 'patch', path, { active: true })).body).toMatchObject({ active: true });
  expect(await dispatcher.deliveries(company, id)).toMatchObject([canceled]);
});

test('deliveries made since the endpoint was activated again survive a late end of its deactivation', async () => {
  const path = `/webhooks/endpoints/${id}`;
  for (const active of [false, true]) await dispatcher.call(company, 'patch', path, { active });
  await dispatcher.publish(statusChanged([company.companyId]));
  const newestFailed = async () => {
    expect(await dispatcher.deliveries(company, id)).toMatchObject([{ status: 'failed' }, canceled]);
  };
  await eventually(newestFailed);
  await createDeliveryStore(dispatcher.connection).cancelWaiting(id, {});
  await newestFailed();
});

test.each([
  ['made inactive', { $set: { active: false } }],
  ['deleted', { $set: { active: false, deletedAt: new Date() }, $unset: { slot: 1, sealedSecret: 1 } }],
])('leftover deliveries of an endpoint that was %s are canceled at the next start', async (_how, change) => {
  const other = await dispatcher.endpoint(company, receiver.url('/other'));
  await dispatcher.publish(statusChanged([company.companyId]));
  const waits = async () => {
    expect(await dispatcher.deliveries(company, other.id)).toMatchObject([{ status: 'failed' }]);
  };
  await eventually(waits);
  await stop(change);
  await dispatcher.stop();
  dispatcher = await startDispatcher({ retryDelaysMs }, dispatcher.namespace);
  const deliveries = dispatcher.connection.collection('deliveries');
  await eventually(async () => {
    for (const record of await deliveries.find({ endpointId: id }).toArray()) expect(record).toMatchObject(canceled);
  });
  await waits();
});
