import { currentContext } from '@app/runtime';
import { eventually, testInfra } from '@app/testing';
import type { Broker } from '../../broker.ts';
import { on } from '../../consuming/subscription.ts';
import { DeadLetters } from '../../queues/dead-letters.ts';
import { openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;
let letters: DeadLetters;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
  letters = await DeadLetters.open(testInfra().amqpUrl);
});
afterAll(async () => {
  await letters.close();
  await rabbit.end();
});

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
  const events = currentContext.run({ requestId: 'request-1' }, () => things(...numbers));
  // One after the other, so that they are dead-lettered in order.
  for (const [index, event] of events.entries()) {
    await broker.publish([event]);
    await eventually(async () => expect(await rabbit.count(queues.dead)).toBe(index + 1));
  }
  return { ...queues, own, state, handled, events };
}

test('a consumer retries a replayed message five times, then dead-letters it again, once; fixed, it handles it', async () => {
  const { main, dead, state, handled } = await withDeadLetters('replayed', [1]);
  expect(state.calls).toBe(5);
  expect(await letters.replay(main)).toBe(1);
  await eventually(async () => expect([state.calls, await rabbit.count(dead)]).toEqual([10, 1]));
  expect(await letters.list(main)).toMatchObject([{ reason: 'a bug' }]);
  state.mended = true;
  expect(await letters.replay(main)).toBe(1);
  await eventually(() => expect(handled).toEqual([1]));
  expect(await rabbit.count(dead)).toBe(0);
});

test('a missing queue is reported, and its dead letters stay', async () => {
  await expect(letters.replay(`${rabbit.namespace}test.unheard-of`)).rejects.toMatchObject({
    code: 'queue_not_found',
  });
  const { main, dead, own } = await withDeadLetters('gone', [1]);
  await own.close();
  const channel = await rabbit.channel();
  await channel.deleteQueue(main);
  await expect(letters.replay(main)).rejects.toMatchObject({ code: 'queue_not_found' });
  expect(await rabbit.count(dead)).toBe(1);
});

test('a queue that is deleted while its dead letters are replayed takes none with it that had not reached it', async () => {
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  const channel = await rabbit.channel();
  const queue = `${rabbit.namespace}test.replaced`;
  // Classic ones: RabbitMQ 3.10 ends the connection of who publishes to a quorum queue that is deleted.
  for (const name of [queue, `${queue}.dead`]) await channel.assertQueue(name);
  for (const n of numbers) channel.sendToQueue(`${queue}.dead`, Buffer.from(`${n}`), { persistent: true });
  await eventually(async () => expect(await rabbit.count(`${queue}.dead`)).toBe(300));
  const replayed = expect(letters.replay(queue)).rejects.toThrow();
  await eventually(async () => expect(await rabbit.count(queue)).toBeGreaterThan(0));
  const { messageCount } = await channel.deleteQueue(queue);
  await replayed;
  // Besides one at most that had reached the queue and was not counted yet: they are moved one after the other.
  await eventually(async () =>
    expect((await rabbit.count(`${queue}.dead`)) + messageCount).toBeGreaterThanOrEqual(299),
  );
  await channel.deleteQueue(`${queue}.dead`);
});

test('what is shown stays, in its order, with the reason and the request; it is replayed unchanged, oldest first', async () => {
  const { main, dead, own, events } = await withDeadLetters('shown', [1, 2, 3]);
  await own.close();
  for (let look = 0; look < 3; look++) {
    const found = await letters.list(main);
    expect(found.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(found[0]).toMatchObject({ type: 'thing.happened.v1', reason: 'a bug', requestId: 'request-1' });
    expect(JSON.parse(String(found[0]?.content))).toEqual(events[0]);
  }
  expect((await letters.list(main, 2)).map(({ id }) => id)).toEqual(events.slice(0, 2).map(({ id }) => id));
  await eventually(async () => expect(await letters.count(main)).toBe(3));
  expect(await letters.replay(main)).toBe(3);
  expect(await rabbit.count(dead)).toBe(0);
  const messages = await rabbit.getAll(main);
  expect(messages.map(({ content }) => JSON.parse(String(content)))).toEqual(events);
  const { 'x-delivery-count': _ofTheBroker, ...headers } = messages[0]?.properties.headers ?? {};
  expect(headers).toEqual({ 'x-request-id': 'request-1' });
  expect(messages[0]?.properties).toMatchObject({
    messageId: events[0]?.id,
    type: 'thing.happened.v1',
    contentType: 'application/cloudevents+json',
    deliveryMode: 2,
  });
});

test('one event is replayed or dropped, and its neighbours stay in their order', async () => {
  const { main, dead, own, events } = await withDeadLetters('one', [1, 2, 3, 4]);
  await own.close();
  const [first, second, third, fourth] = events.map(({ id }) => id);
  expect(await letters.replay(main, third)).toBe(1);
  expect(await letters.drop(main, second)).toBe(1);
  expect(await letters.drop(main, second)).toBe(0);
  expect(await letters.countAll([main, `${main}.never-run`])).toEqual(new Map([[main, 2]]));
  expect((await letters.list(main)).map(({ id }) => id)).toEqual([first, fourth]);
  expect((await rabbit.getAll(main)).map(({ properties }) => properties.messageId)).toEqual([third]);
  expect(await letters.drop(main)).toBe(2);
  expect(await rabbit.count(dead)).toBe(0);
});

test('a message that failed once and then ended its process each time has the reason of its end', async () => {
  const own = await rabbit.broker();
  const table = [on(thingHappened, async () => undefined)];
  const { main, retry, dead } = await rabbit.subscribe(own, { queue: 'ended', table });
  await own.close();
  expect(await letters.replay(main)).toBe(0);
  const channel = await rabbit.channel();
  const headers = { 'x-attempts': 1, 'x-reason': 'a bug', 'x-failed-at': '2026-11-20T00:00:00.000Z' };
  channel.sendToQueue(retry, Buffer.from('no event'), { headers, persistent: true });
  // Given back until the broker gives it up.
  await eventually(async () => {
    const message = await channel.get(main);
    if (message) channel.nack(message);
    expect(await rabbit.count(dead)).toBe(1);
  });
  const reason = 'its consumer ended each time before it answered (delivery_limit)';
  expect(await letters.list(main)).toMatchObject([{ id: null, type: null, failedAt: null, reason }]);
});
