import type { ServerResponse } from 'node:http';
import { answer, behaviours, eventually, type Receiver } from '@app/testing';
import Stripe from 'stripe';
import {
  aCompany,
  type Dispatcher,
  startDispatcher,
  statusChanged,
  testSettings,
  useDispatcher,
} from '../dispatcher.ts';

const { webhooks } = new Stripe('sk_test_unused');
let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({}, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

/** An endpoint of a new company at a path of its own. */
async function subscriber(path: string, events?: string[]) {
  const company = aCompany();
  const endpoint = await dispatcher.endpoint(company, receiver.url(path), events);
  const log = (query?: string) => dispatcher.deliveries(company, endpoint.id, query);
  const on = (action: string, body?: object) =>
    dispatcher.call(company, 'post', `/webhooks/endpoints/${endpoint.id}/${action}`, body);
  return {
    company,
    endpoint,
    log,
    on,
    at: () => receiver.at(path),
    publishEvent: () => dispatcher.publish(statusChanged([company.companyId])),
  };
}

test('an event arrives at once, signed, with the headers and the body of the specification', async () => {
  const { company, endpoint, log, at } = await subscriber('/arrives');
  const event = statusChanged([company.companyId]);
  await dispatcher.publish(event);
  const [received] = await eventually(() => {
    expect(at()).toHaveLength(1);
    return at();
  });
  const { headers, body } = received as NonNullable<typeof received>;
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'x-service-event': 'ticket.status_changed',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f]{24}$/),
    'content-length': String(body.length),
  });
  expect(JSON.parse(body.toString())).toEqual({
    event: 'ticket.status_changed',
    created_at: event.time,
    data: event.data.payload,
  });
  const signature = String(headers['x-service-signature']);
  expect(webhooks.constructEvent(body, signature, endpoint.secret)).toMatchObject({ event: 'ticket.status_changed' });
  const [delivery] = await eventually(async () => {
    const items = await log();
    expect(items).toMatchObject([{ status: 'succeeded' }]);
    return items;
  });
  expect(delivery).toEqual({
    id: headers['x-service-delivery'],
    event: 'ticket.status_changed',
    ticket: event.data.payload.ticket,
    eventId: event.id,
    eventTime: event.time,
    status: 'succeeded',
    statusCode: 200,
    attempts: [
      {
        at: expect.any(String),
        statusCode: 200,
        durationMs: expect.any(Number),
        error: null,
        responseBody: 'thank you',
      },
    ],
    createdAt: expect.any(String),
    nextAttemptAt: null,
  });
});

test('only companies of the audience receive an event, at endpoints that subscribed to its type', async () => {
  const inAudience = await subscriber('/audience');
  const others = [await subscriber('/not-in-audience'), await subscriber('/other-type', ['ticket.quote_added'])];
  const second = await dispatcher.endpoint(inAudience.company, receiver.url('/audience-2'));
  await dispatcher.publish(statusChanged([inAudience.company.companyId, others[1]?.company.companyId ?? '']));
  await eventually(() => expect(receiver.at('/audience-2')).toHaveLength(1));
  await eventually(() => expect(inAudience.at()).toHaveLength(1));
  for (const other of others) expect(await other.log()).toEqual([]);
  await eventually(async () => expect(await dispatcher.deliveries(inAudience.company, second.id)).toHaveLength(1));
});

test('a redelivered message makes no second delivery', async () => {
  const { company, log, at } = await subscriber('/redelivered-message');
  const event = statusChanged([company.companyId]);
  await dispatcher.publish(event, event);
  await dispatcher.publish(event, statusChanged([company.companyId]));
  await eventually(async () => {
    const items = await log();
    expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });
  expect(at()).toHaveLength(2);
});

test('failures are retried on the schedule with the same id and bytes and a new signature, until no attempt is left', async () => {
  receiver.behave(answer(503, 'later'), '/fails');
  const { endpoint, publishEvent, log, at } = await subscriber('/fails');
  await publishEvent();
  const [delivery] = await eventually(async () => {
    const items = await log();
    expect(items).toMatchObject([{ status: 'exhausted', statusCode: 503, nextAttemptAt: null }]);
    return items;
  });
  const starts = delivery?.attempts.map((attempt) => Date.parse(attempt.at)) ?? [];
  const ends = delivery?.attempts.map((attempt) => Date.parse(attempt.at) + attempt.durationMs) ?? [];
  expect(delivery?.attempts).toMatchObject(
    Array(3).fill({ statusCode: 503, error: 'status_not_2xx', responseBody: 'later' }),
  );
  for (const [index, delayMs] of [100, 200].entries()) {
    const waited = (starts[index + 1] ?? 0) - (ends[index] ?? 0);
    expect(waited).toBeGreaterThanOrEqual(delayMs - 1);
  }
  expect(new Set(at().map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(at().map(({ body }) => body.toString('base64'))).size).toBe(1);
  for (const { headers, body } of at()) {
    expect(() => webhooks.constructEvent(body, String(headers['x-service-signature']), endpoint.secret)).not.toThrow();
  }
});

test('a retry that succeeds ends it', async () => {
  let failures = 1;
  receiver.behave((...args) => (failures-- > 0 ? answer(500) : behaviours.ok)(...args), '/recovers');
  const { publishEvent, log } = await subscriber('/recovers');
  await publishEvent();
  await eventually(async () => {
    const [delivery] = await log();
    expect(delivery).toMatchObject({
      status: 'succeeded',
      nextAttemptAt: null,
      attempts: [{ statusCode: 500 }, { statusCode: 200 }],
    });
  });
});

test('every attempt is logged under its own event and request, whatever ended before it', async () => {
  // All turns are taken while more deliveries wait; each turn that ends starts the next attempt.
  const held: (() => void)[] = [];
  receiver.behave((...given) => void held.push(() => answer(500)(...given)), '/contexts');
  const { company, endpoint, at, log } = await subscriber('/contexts');
  const events = Array.from({ length: 8 }, (_, n) => ({
    ...statusChanged([company.companyId]),
    requestid: `request-${n}`,
  }));
  await dispatcher.publish(...events);
  await eventually(() => expect(held).toHaveLength(testSettings.endpointConcurrency));
  receiver.behave(answer(500), '/contexts');
  for (const end of held) end();
  await eventually(async () => expect(await log('?status=exhausted')).toHaveLength(8));
  expect(at()).toHaveLength(24);
  const known = new Map((await log()).map(({ id, eventId }) => [id, eventId]));
  expect([...known.values()].sort()).toEqual(events.map(({ id }) => id).sort());
  const lines = dispatcher.logger.lines.filter(
    ({ message, fields }) =>
      message === 'delivery attempt failed' && (fields as { endpointId: string }).endpointId === endpoint.id,
  );
  expect(lines).toHaveLength(24);
  for (const { fields } of lines) {
    const { deliveryId } = fields as { deliveryId: string };
    const event = events.find(({ id }) => id === known.get(deliveryId));
    expect(fields).toMatchObject({
      ...{ messageId: event?.id, requestId: event?.requestid },
      ...{ eventId: event?.id, eventTime: new Date(String(event?.time)) },
    });
  }
});

test('while a retry waits, the delivery is failed and says when', async () => {
  const slow = await startDispatcher({ retryDelaysMs: [60_000] });
  try {
    receiver.behave(answer(500), '/waits');
    const company = aCompany();
    const { id } = await slow.endpoint(company, receiver.url('/waits'));
    await slow.publish(statusChanged([company.companyId]));
    await eventually(async () => {
      const [delivery] = await slow.deliveries(company, id);
      expect(delivery).toMatchObject({ status: 'failed' });
      const attempt = delivery?.attempts[0];
      const endedAt = Date.parse(attempt?.at ?? '') + (attempt?.durationMs ?? 0);
      expect(Date.parse(delivery?.nextAttemptAt ?? '')).toBe(endedAt + 60_000);
    });
    // Redelivered by hand, it does not wait for its retry.
    receiver.behave(behaviours.ok, '/waits');
    const [delivery] = await slow.deliveries(company, id);
    await slow.call(company, 'post', `/webhooks/endpoints/${id}/deliveries/${delivery?.id}/redeliver`);
    await eventually(async () => expect(await slow.deliveries(company, id)).toMatchObject([{ status: 'succeeded' }]));
  } finally {
    await slow.drop();
    await slow.stop();
  }
});

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
    // By the clock of the deliveries, which is the database's: this test's may be some milliseconds ahead.
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

describe('waiting deliveries', () => {
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

test('an endpoint that hangs delays no other', async () => {
  const patient = await startDispatcher({ timeoutMs: 20_000 });
  const hung: ServerResponse[] = [];
  receiver.behave((_req, res) => void hung.push(res), '/hangs');
  const [slow, healthy] = [aCompany(), aCompany()];
  await patient.endpoint(slow, receiver.url('/hangs'));
  await patient.endpoint(healthy, receiver.url('/healthy'));
  const both = [slow.companyId, healthy.companyId];
  await patient.publish(...Array.from({ length: 40 }, () => statusChanged(both)));
  await eventually(() => expect(receiver.at('/healthy')).toHaveLength(40));
  expect(receiver.at('/hangs')).toHaveLength(testSettings.endpointConcurrency);
  receiver.behave(behaviours.ok, '/hangs');
  for (const res of hung) res.end();
  await eventually(() => expect(receiver.at('/hangs')).toHaveLength(40));
  await patient.drop();
  await patient.stop();
});

test('a burst far beyond the memory limit is delivered completely, each event once', async () => {
  const { company, at, log } = await subscriber('/burst');
  const events = Array.from({ length: 300 }, (_, n) => statusChanged([company.companyId], `Leak ${n}`));
  await dispatcher.publish(...events);
  await eventually(() => expect(at()).toHaveLength(300));
  expect(new Set(at().map(({ headers }) => headers['x-service-delivery'])).size).toBe(300);
  await eventually(async () => expect(await log('?status=succeeded&limit=100')).toHaveLength(100));
});
