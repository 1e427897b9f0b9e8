import { answer, behaviours, eventually, type Receiver } from '@app/testing';
import { type aCompany, type Dispatcher, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from './subscriber.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({}, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});
const subscriber = (path: string, events?: string[]) => subscriberOf({ dispatcher, receiver }, path, events);

describe('an endpoint that fails', () => {
  test('is disabled by 10 exhausted deliveries in a row, keeps what follows, and recovers it', async () => {
    receiver.behave(answer(500), '/disabled');
    const { company, endpoint, publishEvent, log, on, at } = await subscriber('/disabled');
    const read = async () => (await dispatcher.call(company, 'get', '/webhooks/endpoints')).body.items[0];
    for (let n = 0; n < 9; n++) await publishEvent();
    await eventually(async () => expect(await read()).toMatchObject({ active: true, consecutiveFailures: 9 }));
    await publishEvent();
    await eventually(async () => {
      expect(await read()).toMatchObject({
        active: false,
        consecutiveFailures: 10,
        disabledReason: '10 deliveries in a row exhausted their retries',
      });
    });
    // A time by the database's clock, as deliveries have it: the clock of this test may be some
    // milliseconds ahead.
    const exhausted = (await log('?status=exhausted')) as { attempts: { at: string }[] }[];
    const since = exhausted
      .flatMap(({ attempts }) => attempts.map(({ at }) => at))
      .toSorted()
      .at(-1);
    await publishEvent();
    await eventually(async () => expect(await log('?status=canceled')).toHaveLength(1));
    expect(await log('?status=exhausted')).toHaveLength(10);
    const attempted = at().length;

    const [canceled] = await log('?status=canceled');
    expect(await on('recover', { since })).toMatchObject({ status: 409, body: { code: 'webhook_endpoint_inactive' } });
    expect(await on(`deliveries/${canceled?.id}/redeliver`)).toMatchObject({
      status: 409,
      body: { code: 'webhook_endpoint_inactive' },
    });

    receiver.behave(behaviours.ok, '/disabled');
    const enabled = await dispatcher.call(company, 'patch', `/webhooks/endpoints/${endpoint.id}`, { active: true });
    expect(enabled.body).toMatchObject({ active: true, consecutiveFailures: 0, disabledReason: null });
    expect(await on('recover', { since })).toMatchObject({ status: 202, body: { queued: 1 } });
    await eventually(async () => expect(await log('?status=succeeded')).toMatchObject([{ id: canceled?.id }]));
    expect(at()).toHaveLength(attempted + 1);
    expect(await on('recover', { since: '2026-01-01T00:00:00Z' })).toMatchObject({ status: 202, body: { queued: 10 } });
    await eventually(async () => expect(await log('?status=succeeded')).toHaveLength(11));
  });

  test('restarts its count after any success except that of a test', async () => {
    receiver.behave(answer(500), '/counts');
    const { company, publishEvent, on } = await subscriber('/counts');
    const failures = async () =>
      (await dispatcher.call(company, 'get', '/webhooks/endpoints')).body.items[0].consecutiveFailures;
    await publishEvent();
    await eventually(async () => expect(await failures()).toBe(1));
    receiver.behave(behaviours.ok, '/counts');
    expect((await on('test')).body).toMatchObject({ success: true, statusCode: 200, error: null });
    expect(await failures()).toBe(1);
    await publishEvent();
    await eventually(async () => expect(await failures()).toBe(0));
  });
});

describe('a waiting delivery', () => {
  test.each([
    [
      'deactivation',
      (id: string, company: ReturnType<typeof aCompany>) =>
        dispatcher.call(company, 'patch', `/webhooks/endpoints/${id}`, { active: false }),
    ],
    [
      'deletion',
      (id: string, company: ReturnType<typeof aCompany>) =>
        dispatcher.call(company, 'delete', `/webhooks/endpoints/${id}`),
    ],
  ])('is stopped by %s', async (name, stop) => {
    receiver.behave(answer(500), `/${name}`);
    const { company, endpoint, publishEvent, at } = await subscriber(`/${name}`);
    await publishEvent();
    await eventually(() => expect(at()).toHaveLength(1));
    await stop(endpoint.id, company);
    const deliveries = dispatcher.connection.collection('deliveries');
    await eventually(async () => {
      const record = await deliveries.findOne({ endpointId: endpoint.id });
      expect(record).toMatchObject({ status: 'canceled', nextAttemptAt: null, attempts: [{ statusCode: 500 }] });
      expect(record).not.toHaveProperty('dueAt');
    });
    expect(at()).toHaveLength(1);
  });
});
