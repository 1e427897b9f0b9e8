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
import { subscriberOf } from './subscriber.ts';

const { webhooks } = new Stripe('sk_test_unused');
let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({}, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

const subscriber = (path: string, events?: string[]) => subscriberOf({ dispatcher, receiver }, path, events);

test('an event arrives at once, signed, with the headers and the body of docs/webhooks.md', async () => {
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
    maxAttempts: 1,
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
