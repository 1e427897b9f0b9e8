import { type NotificationRaised, notificationRaised } from '@app/contracts';
import { newId } from '@app/kernel';
import { answer, behaviours, eventually, type Receiver, recordEvents, startReceiver } from '@app/testing';
import { type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
let raised: { data: unknown }[];

beforeAll(async () => {
  receiver = await startReceiver();
  dispatcher = await startDispatcher({ retryDelaysMs: [] });
  raised = await recordEvents(dispatcher.broker, [notificationRaised], newId());
});
afterAll(async () => {
  await dispatcher.drop();
  await dispatcher.stop();
  await receiver.close();
});

/** A company whose endpoint answers everything with status 500, and what its users were told. */
async function subscriber(name: string) {
  const url = `/${name}?token=hush`;
  receiver.behave(answer(500), url);
  const one = await subscriberOf({ dispatcher, receiver }, url);
  const told = () =>
    raised.map(({ data }) => data as NotificationRaised).filter((data) => data.company_id === one.company.companyId);
  return { ...one, url, told };
}

const healthy = { active: true, health: 'ok', healthSince: null, lastError: null };

test('a failing endpoint is flagged and its company told once for each failing period; a 2xx ends it', async () => {
  const { id, secret, url, read, change, publish, told } = await subscriber('failing-period');
  receiver.behave(answer(503, 'a secret of the receiver'), url);
  expect(await read()).toMatchObject(healthy);
  await publish();
  await eventually(() => expect(told()).toHaveLength(1));
  expect(await read()).toMatchObject({
    active: true,
    health: 'failing',
    healthSince: expect.stringMatching(/Z$/),
    lastError: 'the receiver answered with a status that is no success (status 503)',
  });
  const [notification] = told();
  expect(notification).toMatchObject({
    kind: 'endpoint_fails',
    key: expect.stringContaining(`endpoint:${id}:failing:`),
    to: { permission: 'api_webhooks', manager_ids: [], place_ids: [] },
    endpoint: { id, host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
    text: 'ERP',
  });
  for (const hidden of ['hush', 'token', secret, 'a secret of the receiver'])
    expect(JSON.stringify(notification)).not.toContain(hidden);

  await publish(3);
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 4 }));
  receiver.behave(behaviours.ok, url);
  await publish();
  await eventually(async () => expect(await read()).toMatchObject(healthy));

  // Events are sent with a copy of the endpoint that may be older than its success; once a change is answered, it is not.
  await change({ name: 'Healthy again' });
  receiver.behave(answer(500), url);
  await publish();
  await eventually(() => expect(told().map(({ text }) => text)).toEqual(['ERP', 'Healthy again']));
});

test('one event that cannot be delivered beside others that can is no failing endpoint', async () => {
  const { read, publish, url, arrived, ended, told, company } = await subscriber('poison');
  const failed = Promise.withResolvers<void>();
  receiver.behave((req, res, received) => {
    if (!String(received.body).includes('poison')) behaviours.ok(req, res, received);
    else void failed.promise.then(() => answer(500)(req, res, received));
  }, url);
  await dispatcher.publish(statusChanged([company.companyId], 'poison'));
  await arrived(1);
  await publish();
  await ended(1, 'succeeded');
  failed.resolve();
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 1, health: 'ok' }));
  expect(told()).toEqual([]);
});

test('a company is told of a disabled endpoint; activating it again ends that', async () => {
  const { id, read, change, publish, told } = await subscriber('disabled');
  await publish(10);
  await eventually(async () => {
    const lastError = expect.stringContaining('status 500');
    const disabled = { active: false, health: 'disabled', healthSince: expect.stringMatching(/Z$/), lastError };
    expect(await read()).toMatchObject(disabled);
  });
  await eventually(() => {
    const disablings = told().filter(({ key }) => key.startsWith(`endpoint:${id}:disabled:`));
    expect(disablings).toHaveLength(1);
  });
  expect((await change({ active: true })).body).toMatchObject(healthy);
});

test('an endpoint made inactive by hand is healthy', async () => {
  const { read, change, publish, told } = await subscriber('by-hand');
  await publish();
  await eventually(() => expect(told()).toHaveLength(1));
  await change({ active: false });
  expect(await read()).toMatchObject({ active: false, health: 'ok', disabledReason: null });
});
