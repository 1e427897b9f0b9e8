import { behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';

let receiver: Receiver;
let one: Dispatcher;
let two: Dispatcher;

beforeAll(async () => {
  receiver = await startReceiver();
  one = await startDispatcher();
  two = await startDispatcher({}, one.namespace);
});
afterAll(async () => {
  await two.stop();
  await one.drop();
  await one.stop();
  await receiver.close();
});

test('an endpoint receives the very next event, whichever replica created it and whichever handles the event', async () => {
  const company = aCompany();
  const { companyId } = company;
  // Both replicas have looked this company up before.
  await one.endpoint(company, receiver.url('/before'));
  await one.publish(...Array.from({ length: 20 }, () => statusChanged([companyId])));
  await eventually(() => expect(receiver.at('/before')).toHaveLength(20));
  for (let n = 0; n < 9; n++) {
    await (n % 2 ? one : two).endpoint(company, receiver.url(`/next-${n}`));
    await one.publish(...Array.from({ length: 4 }, () => statusChanged([companyId], `After ${n}`)));
  }
  // It may also receive an event from before its creation, which is looked up after it.
  const after = (n: number) =>
    receiver.at(`/next-${n}`).filter(({ body }) => Number(/After (\d)/.exec(body.toString())?.[1] ?? -1) >= n);
  await eventually(() => {
    const received = Array.from({ length: 9 }, (_, n) => after(n).length);
    expect(received).toEqual(Array.from({ length: 9 }, (_, n) => 4 * (9 - n)));
  });
});

test('a deleted or deactivated endpoint receives no event after that, through any replica', async () => {
  const [deleted, inactive] = [aCompany(), aCompany()];
  const gone = await one.endpoint(deleted, receiver.url('/deleted'));
  const off = await one.endpoint(inactive, receiver.url('/inactive'));
  await one.publish(statusChanged([deleted.companyId, inactive.companyId]));
  for (const path of ['/deleted', '/inactive']) await eventually(() => expect(receiver.at(path)).toHaveLength(1));
  await two.call(deleted, 'delete', `/webhooks/endpoints/${gone.id}`);
  await two.call(inactive, 'patch', `/webhooks/endpoints/${off.id}`, { active: false });
  await one.publish(...Array.from({ length: 20 }, () => statusChanged([deleted.companyId, inactive.companyId])));
  await eventually(async () => expect(await one.deliveries(inactive, off.id, '?status=canceled')).toHaveLength(20));
  for (const path of ['/deleted', '/inactive']) expect(receiver.at(path)).toHaveLength(1);
});

test('an attempt that takes long is in the log before it ends, and its event acknowledged', async () => {
  const waiting: (() => void)[] = [];
  receiver.behave((...given) => void waiting.push(() => behaviours.ok(...given)), '/long');
  const patient = await startDispatcher({ timeoutMs: 20_000 });
  const company = aCompany();
  const { id } = await patient.endpoint(company, receiver.url('/long'));
  await patient.publish(statusChanged([company.companyId]));
  await eventually(async () => {
    expect(await patient.deliveries(company, id)).toMatchObject([{ status: 'pending', attempts: [] }]);
  });
  // An unacknowledged message would go to the next process.
  await patient.broker.close();
  const next = await startDispatcher({ timeoutMs: 20_000 }, patient.namespace);
  await next.publish(statusChanged([company.companyId]));
  await eventually(() => expect(waiting).toHaveLength(2));
  for (const end of waiting) end();
  await eventually(async () => expect(await next.deliveries(company, id, '?status=succeeded')).toHaveLength(2));
  expect(receiver.at('/long')).toHaveLength(2);
  await patient.stop();
  await next.drop();
  await next.stop();
});

test('an event that is redelivered during its first attempt causes no second one', async () => {
  const waiting: (() => void)[] = [];
  receiver.behave((...given) => void waiting.push(() => behaviours.ok(...given)), '/twice');
  const company = aCompany();
  // One replica gets both: another would not know what this one is handling.
  const alone = await startDispatcher();
  const own = await alone.endpoint(company, receiver.url('/twice'));
  const event = statusChanged([company.companyId]);
  await alone.publish(event);
  await eventually(() => expect(waiting).toHaveLength(1));
  await alone.publish(event, event, statusChanged([company.companyId]));
  await eventually(() => expect(waiting).toHaveLength(2));
  for (const end of waiting) end();
  await eventually(async () => {
    expect(await alone.deliveries(company, own.id, '?status=succeeded')).toHaveLength(2);
  });
  expect(receiver.at('/twice')).toHaveLength(2);
  await alone.drop();
  await alone.stop();
});
