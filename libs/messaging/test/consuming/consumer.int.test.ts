import { AppError } from '@app/kernel';
import { currentContext, metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import type { Broker } from '../../broker.ts';
import { Consumer } from '../../consuming/consumer.ts';
import { on } from '../../consuming/subscription.ts';
import { gate, openRabbit, otherHappened, type Rabbit, thingHappened, things } from '../rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

type Handled = { n: number; at: number; redelivered: boolean | undefined };
/** The error of an attempt, counted from 1, at the event `n`; none if it succeeds. */
type FailsAs = (attempt: number, n: number) => unknown;

/** A consumer that keeps every call of its handler, which fails as `fail` says. */
async function consumer(queue: string, fail: FailsAs = () => undefined) {
  const handled: Handled[] = [];
  const calls = (n: number) => handled.filter((each) => each.n === n);
  const table = [
    on(thingHappened, async ({ data: { n } }, message) => {
      handled.push({ n, at: Date.now(), redelivered: message?.redelivered });
      const error = fail(calls(n).length, n);
      if (error) throw error;
    }),
  ];
  const queues = await rabbit.subscribe(broker, { queue, table });
  const nothingLeft = async () => {
    for (const name of [queues.main, queues.retry]) expect(await rabbit.count(name)).toBe(0);
  };
  return { ...queues, handled, calls, nothingLeft };
}

test('a message whose handling fails is retried after a while, until it is handled; its handler knows that it is a retry', async () => {
  const { calls, nothingLeft, main, dead } = await consumer(
    'second-try',
    (attempt) => attempt < 3 && new Error('not yet'),
  );
  await broker.publish(things(10));
  const [first, second, third] = await eventually(() => {
    expect(calls(10)).toHaveLength(3);
    return calls(10) as [Handled, Handled, Handled];
  });
  // The broker counts in whole milliseconds.
  expect(second.at - first.at).toBeGreaterThanOrEqual(49);
  expect(third.at - second.at).toBeGreaterThanOrEqual(49);
  expect([first, second, third].map(({ redelivered }) => redelivered)).toEqual([false, true, true]);
  await nothingLeft();
  expect(await rabbit.count(dead)).toBe(0);
  const counted = `message_handling_duration_seconds_count{queue="${main}",result="handled"} 1`;
  await eventually(async () => expect(await metrics.metrics()).toContain(counted));
});

test('after five attempts it is dead-lettered as it was, with the reason, and all of it is counted; it delays no other', async () => {
  const fail: FailsAs = (_attempt, n) => n === 20 && new Error('it never works');
  const { calls, nothingLeft, main, dead } = await consumer('five-tries', fail);
  const [event] = currentContext.run({ requestId: 'request-7' }, () => things(20));
  await broker.publish([event as never, ...things(21)]);
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  expect([calls(20).length, calls(21).length]).toEqual([5, 1]);
  await nothingLeft();
  const [message] = await rabbit.getAll(dead);
  expect(JSON.parse(String(message?.content))).toEqual(event);
  expect(message?.properties).toMatchObject({
    messageId: event?.id,
    type: 'thing.happened.v1',
    contentType: 'application/cloudevents+json',
    deliveryMode: 2,
  });
  const { 'x-delivery-count': _ofTheBroker, ...headers } = message?.properties.headers ?? {};
  expect(headers).toEqual({
    'x-request-id': 'request-7',
    'x-attempts': 5,
    'x-reason': 'it never works',
    'x-failed-at': expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(rabbit.logger.lines).toContainEqual({
    level: 'error',
    message: 'message dead-lettered',
    fields: expect.objectContaining({ messageId: event?.id, requestId: 'request-7', attempts: 5 }),
  });
  const counted = await metrics.metrics();
  expect(counted).toContain(`messages_retried_total{queue="${main}"} 4`);
  expect(counted).toContain(`messages_dead_lettered_total{queue="${main}"} 1`);
  expect(counted).toContain(`message_handling_duration_seconds_count{queue="${main}",result="failed"} 5`);
});

test('a message that can never be handled is dead-lettered at once, without a handler if it is no JSON', async () => {
  const { handled, main, dead } = await consumer(
    'invalid',
    () => new AppError('invalid', 'nonsense', 'makes no sense'),
  );
  await broker.publish(things(30));
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  (await rabbit.channel()).sendToQueue(main, Buffer.from('{'));
  // The length of each queue is a metric, dead letters included.
  await eventually(async () => {
    const text = await metrics.metrics();
    expect(text).toContain(`queue_messages{queue="${dead}"} 2`);
    expect(text).toContain(`queue_messages{queue="${main}"} 0`);
  });
  expect(handled.map(({ n }) => n)).toEqual([30]);
  const [first, second] = await rabbit.getAll(dead);
  expect(first?.properties.headers).toMatchObject({ 'x-attempts': 1, 'x-reason': 'makes no sense' });
  expect([String(second?.content), second?.properties.headers?.['x-reason']]).toEqual([
    '{',
    expect.stringContaining('not JSON'),
  ]);
});

test('a message that can neither be handled nor requeued is released with its channel', async () => {
  const channel = await rabbit.channel();
  const { queue: main } = await channel.assertQueue('', { exclusive: true });
  const errors: Error[] = [];
  channel.on('error', (error) => errors.push(error));
  const own = new Consumer({
    options: { queue: 'own', table: [] },
    queue: { main, retry: 'later', unknown: 'not yet', dead: 'never' },
    send: () => Promise.reject(new TypeError('cannot be written')),
    logger: rabbit.logger,
  });
  channel.sendToQueue(main, Buffer.from('{}'));
  await (await own.prepare(channel))();
  await eventually(() => expect(errors).toEqual([new TypeError('cannot be written')]));
});

test('an event that an older version does not know is handled by the newer one', async () => {
  const older = await rabbit.broker({ service: 'rolled-out' });
  const queue = 'rolled-out';
  const { main, unknown, dead } = await rabbit.subscribe(
    older,
    { queue, table: [on(thingHappened, async () => undefined)] },
    queue,
  );
  const [event] = things(26).map((one) => ({ ...one, type: otherHappened.type }));
  const channel = await rabbit.channel();
  channel.sendToQueue(main, Buffer.from(JSON.stringify(event)));
  await eventually(() =>
    expect(rabbit.logger.lines).toContainEqual(
      expect.objectContaining({
        message: 'message will be retried',
        fields: expect.objectContaining({ queue: main }),
      }),
    ),
  );
  await older.close();
  const newer = await rabbit.broker({ service: 'rolled-out' });
  const handled: number[] = [];
  await newer.subscribe({ queue, table: [on(otherHappened, async ({ data }) => void handled.push(data.n))] });
  await eventually(() => expect(handled).toEqual([26]));
  for (const name of [unknown, dead]) expect(await rabbit.count(name)).toBe(0);
});

test('a consumer receives the event types of its table and nothing else', async () => {
  const { handled, main } = await consumer('table');
  const others = things(70).map((event) => ({ ...event, type: otherHappened.type }));
  await broker.publish([...others, ...things(71)]);
  await eventually(() => expect(handled.map(({ n }) => n)).toEqual([71]));
  expect(await rabbit.count(main)).toBe(0);
});

test('a handler works within the request of its event', async () => {
  const seen: unknown[] = [];
  const table = [on(thingHappened, async () => void seen.push(currentContext.getStore()))];
  await rabbit.subscribe(broker, { queue: 'context', table });
  const [event] = currentContext.run({ requestId: 'request-8' }, () => things(80));
  await broker.publish([event as never]);
  await eventually(() => expect(seen).toEqual([{ messageId: event?.id, requestId: 'request-8' }]));
});

test('no more messages than the prefetch are handled at once', async () => {
  const held = gate();
  let atOnce = 0;
  let most = 0;
  let done = 0;
  const table = [
    on(thingHappened, async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await held.opened;
      atOnce -= 1;
      done += 1;
    }),
  ];
  await rabbit.subscribe(broker, { queue: 'few', table, prefetch: 2 });
  await broker.publish(things(90, 91, 92, 93, 94));
  await eventually(() => expect(atOnce).toBe(2));
  held.open();
  await eventually(() => expect(done).toBe(5));
  expect(most).toBe(2);
});

test('close waits for running handlers and accepts no more messages', async () => {
  const closing = await rabbit.broker({ service: 'closing' });
  const held = gate();
  const begun: number[] = [];
  const ended: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      begun.push(n);
      await held.opened;
      ended.push(n);
    }),
  ];
  const { main } = await rabbit.subscribe(closing, { queue: 'closing', table }, 'closing');
  await broker.publish(things(100));
  await eventually(() => expect(begun).toEqual([100]));
  let closed = false;
  const closes = closing.close().then(() => {
    closed = true;
  });
  // Until the broker has canceled the consumer, it still gets messages, and has to finish them.
  let published = 1;
  await eventually(async () => {
    await broker.publish(things(101));
    published += 1;
    expect(await rabbit.count(main)).toBeGreaterThan(0);
  });
  expect(closed).toBe(false);
  const taken = begun.length;
  held.open();
  await closes;
  expect(ended).toHaveLength(taken);
  expect(begun).toHaveLength(taken);
  await eventually(async () => expect(await rabbit.count(main)).toBe(published - taken));
  await expect(closing.ready()).rejects.toMatchObject({ kind: 'unavailable', code: 'broker_unavailable' });
});
