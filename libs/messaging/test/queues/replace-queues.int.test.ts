import { eventually, testInfra } from '@app/testing';
import type { Channel } from 'amqplib';
import { on } from '../../consuming/subscription.ts';
import { differentQueues, replaceQueues } from '../../queues/replace-queues.ts';
import { names } from '../../queues/topology.ts';
import { gate, openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

const table = { test: { work: [thingHappened] } };
const delays = { retryDelayMs: 50, unknownDelayMs: 20 };

let rabbit: Rabbit;
let channel: Channel;
beforeEach(async () => {
  rabbit = await openRabbit();
  channel = await rabbit.channel();
});
afterEach(async () => {
  const { main, retry, unknown, dead } = work();
  for (const queue of [main, retry, unknown, dead]) {
    await channel.deleteQueue(queue);
    await channel.deleteQueue(`${queue}.moving`);
  }
  await channel.deleteQueue(`${rabbit.namespace}queues.moving`);
  await rabbit.end();
});

const work = () => names(rabbit.namespace, 'test').queue('work');
const options = () => ({ url: testInfra().amqpUrl, namespace: rabbit.namespace, table, delays, settleMs: 300 });
const replace = () => replaceQueues(options());

/**
 * The main queue as an earlier version may have declared it: with another delivery limit and the
 * same bindings.
 */
async function formerQueue(): Promise<void> {
  await channel.assertExchange(rabbit.exchange, 'topic', { durable: true });
  await channel.assertQueue(work().main, formerly);
  await channel.bindQueue(work().main, rabbit.exchange, thingHappened({ n: 1 }, new Date()).type);
}
const formerly = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 } };

/** The queue of messages to be retried, with another delay. */
const waitingAnHour = () => ({
  durable: true,
  arguments: {
    'x-queue-type': 'quorum',
    'x-message-ttl': 3_600_000,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': work().main,
  },
});

/** Publishes as a service does: each event is confirmed, and has a queue. */
async function publish(...numbers: number[]): Promise<void> {
  const broker = await rabbit.broker({ service: 'publisher' });
  await broker.publish(things(...numbers));
}

/** What a consumer of this version is given, each number as often as it comes. */
async function consume(): Promise<number[]> {
  const seen: number[] = [];
  const broker = await rabbit.broker();
  await rabbit.subscribe(broker, {
    queue: 'work',
    table: [on(thingHappened, async ({ data }) => void seen.push(data.n))],
  });
  return seen;
}

test('queues of other arguments are replaced, one process at a time; what waits in them arrives, and what comes meanwhile', async () => {
  const { main, retry } = work();
  expect(await replace()).toEqual([]);
  await formerQueue();
  await channel.assertQueue(retry, waitingAnHour());
  const [failed] = things(0);
  channel.sendToQueue(retry, Buffer.from(JSON.stringify(failed)), { persistent: true });
  await publish(1, 2, 3);
  let isDone = false;
  const first = replace().finally(() => {
    isDone = true;
  });
  await eventually(async () => expect(await rabbit.count(`${main}.moving`)).toBeGreaterThan(0));
  const second = replace().catch((error: Error) => error.message);
  const publisher = await rabbit.broker({ service: 'publisher' });
  let next = 4;
  while (!isDone) await publisher.publish(things(next++));
  expect(await first).toEqual([
    { queue: main, result: 'replaced', moved: expect.any(Number), consumers: 0 },
    { queue: retry, result: 'replaced', moved: 1, consumers: 0 },
  ]);
  expect([[], 'another process is replacing queues: wait for it']).toContainEqual(await second);
  await publish(next);
  const seen = await consume();
  const all = Array.from({ length: next + 1 }, (_, index) => index);
  await eventually(() => expect([...new Set(seen)].sort((a, b) => a - b)).toEqual(all));
  expect(await replace()).toEqual([]);
});

test('what a service may not bind is bound: a failed message comes back by the exchange of its service after a replacement, too', async () => {
  const { retry } = work();
  await channel.assertQueue(retry, waitingAnHour());
  await replace();
  const { requeue } = names(rabbit.namespace, 'test');
  channel.publish(requeue, retry, Buffer.from('failed'), { persistent: true });
  await eventually(async () => expect(await rabbit.count(work().main)).toBe(1));
  await channel.deleteExchange(requeue);
});

test('a replica of the version before keeps its queue, on which this version works too; once it is gone the queue is replaced', async () => {
  await formerQueue();
  const former = await rabbit.channel();
  await former.prefetch(1);
  const { opened, open } = gate();
  const held: string[] = [];
  await former.consume(work().main, async (message) => {
    if (!message) return;
    held.push(message.properties.messageId);
    await opened;
  });
  await publish(1);
  // The consumer holds the message unacknowledged: it would be lost with the queue.
  await eventually(() => expect(held).toHaveLength(1));
  expect(await differentQueues(options())).toEqual([{ queue: work().main, result: 'pending', moved: 0, consumers: 1 }]);
  expect(await replace()).toEqual([{ queue: work().main, result: 'in use', moved: 0, consumers: 1 }]);

  const own = await rabbit.broker();
  const seen: number[] = [];
  const handle = async ({ data }: { data: { n: number } }) => void seen.push(data.n);
  await rabbit.subscribe(own, { queue: 'work', table: [on(thingHappened, handle)] });
  await publish(2);
  await eventually(() => expect(seen).toEqual([2]));
  expect(rabbit.logger.lines.map(({ message }) => message)).toContain(
    'queues have the arguments of another version: npm run ops -- migrate replaces them',
  );

  // Its process ends: the broker gives back what it had.
  await own.close();
  await former.close();
  open();
  expect(await replace()).toMatchObject([{ queue: work().main, result: 'replaced' }]);
  const after = await consume();
  await eventually(() => expect(new Set([...seen, ...after])).toEqual(new Set([1, 2])));
});

test('a replica that starts in the middle keeps the queue, and gets everything back', async () => {
  await formerQueue();
  await publish(1, 2);
  const replaced = replaceQueues({ ...options(), settleMs: 600_000 });
  await eventually(async () => expect(await rabbit.count(`${work().main}.moving`)).toBe(2));
  const former = await rabbit.channel();
  const seen: string[] = [];
  await former.consume(work().main, (message) => {
    if (!message) return;
    seen.push(JSON.parse(message.content.toString()).data.n);
    former.ack(message);
  });
  expect(await replaced).toMatchObject([{ result: 'in use' }]);
  await publish(3);
  await eventually(() => expect([...new Set(seen)].sort()).toEqual([1, 2, 3]));
  await expect(channel.checkQueue(`${work().main}.moving`)).rejects.toThrow('404');
  channel = await rabbit.channel();
});

test('a replacement that was cut off when the queue was deleted is finished by the next one', async () => {
  await formerQueue();
  await publish(1, 2, 3);
  const { main } = work();
  const moving = `${main}.moving`;
  const { type } = thingHappened({ n: 1 }, new Date());
  const plain = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
  await channel.assertQueue(`${rabbit.namespace}queues.moving`, plain);
  await channel.assertQueue(moving, plain);
  await channel.bindQueue(moving, rabbit.exchange, type);
  for (const { content, properties } of await rabbit.getAll(main))
    channel.sendToQueue(moving, content, { ...properties, persistent: true });
  await eventually(async () => expect(await rabbit.count(moving)).toBe(3));
  await channel.deleteQueue(main);
  await publish(4);
  expect(await replace()).toMatchObject([{ queue: main, result: 'replaced' }]);
  await publish(5);
  const seen = await consume();
  await eventually(() => expect([...new Set(seen)].sort()).toEqual([1, 2, 3, 4, 5]));
  await expect(channel.checkQueue(moving)).rejects.toThrow('404');
  channel = await rabbit.channel();
});
