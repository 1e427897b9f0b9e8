import { answer, eventually } from '@app/testing';
import Stripe from 'stripe';
import { statusChanged, testSettings, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const { webhooks } = new Stripe('sk_test_unused');
const own = useDispatcher();
const subscriber = (path: string, events = ['ticket.status_changed']) => subscriberOf(own, path, { events });

test('an event arrives at once, signed, with the headers and the body of docs/webhooks.md', async () => {
  const { company, secret, arrived, logged } = await subscriber('/arrives');
  const event = statusChanged([company.companyId]);
  await own.dispatcher.publish(event);
  const [received] = await arrived(1);
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
  expect(webhooks.constructEvent(body, signature, secret)).toMatchObject({ event: 'ticket.status_changed' });
  const [delivery] = await logged([{ status: 'succeeded' }]);
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
  const second = await subscriberOf(own, '/audience-2', { company: inAudience.company });
  const others = [await subscriber('/not-in-audience'), await subscriber('/other-type', ['ticket.quote_added'])];
  await own.dispatcher.publish(statusChanged([inAudience.company.companyId, others[1]?.company.companyId ?? '']));
  for (const one of [inAudience, second]) {
    await one.arrived(1);
    await one.logged([{ status: 'succeeded' }]);
  }
  for (const other of others) expect(await other.log()).toEqual([]);
});

test('failures are retried on the schedule with the same id and bytes and a new signature, until no attempt is left', async () => {
  own.receiver.behave(answer(503, 'later'), '/fails');
  const { secret, publish, logged, at } = await subscriber('/fails');
  await publish();
  const [delivery] = await logged([{ status: 'exhausted', statusCode: 503, nextAttemptAt: null }]);
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
    expect(() => webhooks.constructEvent(body, String(headers['x-service-signature']), secret)).not.toThrow();
  }
});

test('every attempt is logged under its own event and request, whatever ended before it', async () => {
  // All turns are taken while more deliveries wait; each turn that ends starts the next attempt.
  const held: (() => void)[] = [];
  own.receiver.behave((...given) => void held.push(() => answer(500)(...given)), '/contexts');
  const { company, id, at, log, ended } = await subscriber('/contexts');
  const events = Array.from({ length: 8 }, (_, n) => ({
    ...statusChanged([company.companyId]),
    requestid: `request-${n}`,
  }));
  await own.dispatcher.publish(...events);
  await eventually(() => expect(held).toHaveLength(testSettings.endpointConcurrency));
  own.receiver.behave(answer(500), '/contexts');
  for (const end of held) end();
  await ended(8, 'exhausted');
  expect(at()).toHaveLength(24);
  const known = new Map((await log()).map((delivery) => [delivery.id, delivery.eventId]));
  expect([...known.values()].sort()).toEqual(events.map(({ id }) => id).sort());
  const lines = own.dispatcher.logger.lines.filter(
    ({ message, fields }) =>
      message === 'delivery attempt failed' && (fields as { endpointId: string }).endpointId === id,
  );
  expect(lines).toHaveLength(24);
  for (const { fields } of lines) {
    const { deliveryId } = fields as { deliveryId: string };
    const event = events.find(({ id }) => id === known.get(deliveryId));
    expect(fields).toMatchObject({
      messageId: event?.id,
      requestId: event?.requestid,
      eventId: event?.id,
      eventTime: new Date(String(event?.time)),
    });
  }
});
