import { currentContext } from '@app/runtime';
import { eventually, testInfra } from '@app/testing';
import type { Broker } from '../broker.ts';
import { replayDeadLetters } from '../replay.ts';
import { on } from '../subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from './rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

/** A consumer that fails until it is mended, and the messages it has dead-lettered. */
async function withDeadLetters(queue: string, numbers: number[]) {
  const state = { mended: false, calls: 0 };
  const handled: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      state.calls += 1;
      if (!state.mended) throw new Error('a bug');
      handled.push(n);
    }),
  ];
  const own = await rabbit.broker();
  const queues = await rabbit.subscribe(own, { queue, table, prefetch: 1 });
  const events = currentContext.run({ requestId: 'request-1', traceparent: '00-a-b-01' }, () => things(...numbers));
  // One after the other, so that they are dead-lettered in order.
  for (const [index, event] of events.entries()) {
    await broker.publish([event]);
    await eventually(async () => expect(await rabbit.count(queues.dead)).toBe(index + 1));
  }
  return { ...queues, own, state, handled, events };
}

test('what was dead-lettered comes back as it was, oldest first', async () => {
  const { main, dead, own, events } = await withDeadLetters('as-it-was', [1, 2, 3]);
  await own.close();
  expect(await replayDeadLetters(testInfra().amqpUrl, main)).toBe(3);
  expect(await rabbit.count(dead)).toBe(0);
  const messages = await rabbit.take(main);
  expect(messages.map(({ content }) => JSON.parse(String(content)))).toEqual(events);
  const [message] = messages;
  const { 'x-delivery-count': _ofTheBroker, ...headers } = message?.properties.headers ?? {};
  expect(headers).toEqual({ 'x-request-id': 'request-1', traceparent: '00-a-b-01' });
  expect(message?.properties).toMatchObject({
    messageId: events[0]?.id,
    type: 'thing.happened.v1',
    contentType: 'application/cloudevents+json',
    deliveryMode: 2,
  });
});

test('a consumer that was mended handles it', async () => {
  const { main, dead, state, handled } = await withDeadLetters('mended', [1, 2]);
  state.mended = true;
  expect(await replayDeadLetters(testInfra().amqpUrl, main)).toBe(2);
  await eventually(() => expect(handled).toEqual([1, 2]));
  expect(await rabbit.count(dead)).toBe(0);
});

test('a consumer that was not mended has five attempts more, then it is dead-lettered again, once', async () => {
  const { main, dead, state } = await withDeadLetters('not-mended', [1]);
  expect(state.calls).toBe(5);
  expect(await replayDeadLetters(testInfra().amqpUrl, main)).toBe(1);
  await eventually(async () => expect([state.calls, await rabbit.count(dead)]).toEqual([10, 1]));
  const [message] = await rabbit.take(dead);
  expect(message?.properties.headers).toMatchObject({ 'x-attempts': 5, 'x-reason': 'a bug' });
});

test('without dead letters nothing comes back', async () => {
  const { main } = await rabbit.subscribe(broker, {
    queue: 'empty',
    table: [on(thingHappened, async () => undefined)],
  });
  expect(await replayDeadLetters(testInfra().amqpUrl, main)).toBe(0);
});

test('a queue that is not there is told, and its dead letters stay', async () => {
  await expect(replayDeadLetters(testInfra().amqpUrl, `${rabbit.namespace}test.unheard-of`)).rejects.toMatchObject({
    code: 'queue_not_found',
  });
  const { main, dead, own } = await withDeadLetters('gone', [1]);
  await own.close();
  const channel = await rabbit.channel();
  await channel.deleteQueue(main);
  await expect(replayDeadLetters(testInfra().amqpUrl, main)).rejects.toMatchObject({ code: 'queue_not_found' });
  expect(await rabbit.count(dead)).toBe(1);
});
