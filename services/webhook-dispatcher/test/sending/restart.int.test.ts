import { answer, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { aCompany, startDispatcher, statusChanged } from '../dispatcher.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('a retry that waits survives a restart', async () => {
  receiver.behave(answer(500));
  const before = await startDispatcher({ retryDelaysMs: [1_500] });
  const company = aCompany();
  const { id } = await before.endpoint(company, receiver.url());
  await before.publish(statusChanged([company.companyId]));
  await eventually(async () => expect(await before.deliveries(company, id)).toMatchObject([{ status: 'failed' }]));
  await before.stop();
  receiver.behave(behaviours.ok);
  const after = await startDispatcher({}, before.namespace);
  await eventually(async () => {
    expect(await after.deliveries(company, id)).toMatchObject([
      { status: 'succeeded', attempts: [{ statusCode: 500 }, { statusCode: 200 }] },
    ]);
  });
  await after.drop();
  await after.stop();
});

test('an interrupted delivery is repeated under the same id, once its lease is over', async () => {
  receiver.received.length = 0;
  receiver.behave(behaviours.hang);
  const before = await startDispatcher({ timeoutMs: 300 });
  const company = aCompany();
  const { id } = await before.endpoint(company, receiver.url());
  await before.publish(...Array.from({ length: 6 }, () => statusChanged([company.companyId])));
  await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(4));
  await before.crash();
  const interrupted = receiver.received.map(({ headers }) => headers['x-service-delivery']);
  receiver.behave(behaviours.ok);
  const after = await startDispatcher({ timeoutMs: 300 }, before.namespace);
  // The lease of the crashed process must end first. It lasts twice the time limit with its margin.
  await eventually(async () => {
    const items = await after.deliveries(company, id);
    expect(items.map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
    expect(items.map((item) => item.id)).toEqual(expect.arrayContaining(interrupted));
  });
  await after.drop();
  await after.stop();
});

test('two replicas share the work, and each event arrives once', async () => {
  receiver.received.length = 0;
  receiver.behave(behaviours.ok);
  const one = await startDispatcher();
  const two = await startDispatcher({}, one.namespace);
  const company = aCompany();
  const { id } = await one.endpoint(company, receiver.url());
  await one.publish(...Array.from({ length: 200 }, () => statusChanged([company.companyId])));
  await eventually(async () =>
    expect(await two.deliveries(company, id, '?limit=100&status=succeeded')).toHaveLength(100),
  );
  await eventually(() => expect(receiver.received).toHaveLength(200));
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(200);
  await two.stop();
  await one.drop();
  await one.stop();
});
