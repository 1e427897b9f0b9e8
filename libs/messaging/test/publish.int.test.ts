import { currentContext } from '@app/runtime';
import { startTcpProxy, testParts } from '@app/testing';
import type { Broker } from '../broker.ts';
import { on } from '../subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from './rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

/** The queues of a consumer that is not there. */
async function absent(queue: string) {
  const once = await rabbit.broker();
  const queues = await rabbit.subscribe(once, { queue, table: [on(thingHappened, async () => undefined)] });
  await once.close();
  return queues;
}

test('each event is a message, which waits for a consumer that is away, whole and in order', async () => {
  const { main } = await absent('away');
  const events = currentContext.run({ requestId: 'request-1', traceparent: '00-a-b-01' }, () => things(1, 2, 3));
  await broker.publish(events);
  const messages = await rabbit.take(main);
  expect(messages.map(({ content }) => JSON.parse(String(content)))).toEqual(events);
  for (const [index, { fields, properties }] of messages.entries()) {
    expect(fields).toMatchObject({ exchange: rabbit.exchange, routingKey: 'thing.happened.v1' });
    expect(properties).toMatchObject({
      messageId: events[index]?.id,
      type: 'thing.happened.v1',
      deliveryMode: 2,
      contentType: 'application/cloudevents+json',
      headers: { 'x-request-id': 'request-1', traceparent: '00-a-b-01' },
    });
  }
});

test('an event that nobody subscribed to is published all the same', async () => {
  await expect(
    broker.publish(things(1).map((event) => ({ ...event, type: 'unheard.of.v1' }))),
  ).resolves.toBeUndefined();
});

test('the exchange is a durable topic exchange', async () => {
  const channel = await rabbit.channel();
  await channel.assertExchange(rabbit.exchange, 'topic', { durable: true });
  await expect(channel.assertExchange(rabbit.exchange, 'topic', { durable: false })).rejects.toThrow(/durable/);
});

test.each(['main', 'retry', 'dead'] as const)(
  'the %s queue is a durable quorum queue that loses nothing',
  async (which) => {
    const queues = await absent('kinds');
    const deadLettering = (to: string) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': to,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    });
    const expected = {
      main: { ...deadLettering(queues.dead), 'x-delivery-limit': 10 },
      retry: { ...deadLettering(queues.main), 'x-message-ttl': 50 },
      dead: {},
    }[which];
    const assert = async (type: string) => {
      const channel = await rabbit.channel();
      return channel.assertQueue(queues[which], { durable: true, arguments: { 'x-queue-type': type, ...expected } });
    };
    await assert('quorum');
    // The broker tells in what a queue differs from the one that is there: in nothing else.
    await expect(assert('classic')).rejects.toThrow("inequivalent arg 'x-queue-type'");
  },
);

test('a full queue refuses, and the publisher hears of it', async () => {
  const full = `${rabbit.namespace}full`;
  const channel = await rabbit.channel();
  await channel.assertQueue(full, {
    durable: true,
    arguments: { 'x-queue-type': 'classic', 'x-max-length': 0, 'x-overflow': 'reject-publish' },
  });
  await channel.bindQueue(full, rabbit.exchange, 'full.v1');
  const refused = broker.publish(things(1).map((event) => ({ ...event, type: 'full.v1' })));
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable', code: 'broker_unavailable' });
  await channel.deleteQueue(full);
});

test('without a connection nothing is published and nothing is ready; with it again, both', async () => {
  const proxy = await startTcpProxy(testParts().amqpUrl);
  const through = await rabbit.broker({ url: proxy.url(testParts().amqpUrl) });
  await expect(through.ready()).resolves.toBeUndefined();
  proxy.refuse();
  const away = { kind: 'unavailable', code: 'broker_unavailable' };
  await expect(through.publish(things(1))).rejects.toMatchObject(away);
  await expect(through.ready()).rejects.toMatchObject(away);
  proxy.heal();
  await through.close();
  await proxy.close();
});
