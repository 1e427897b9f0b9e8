import { currentContext, metrics } from '@app/runtime';
import { eventually, TcpProxy, testInfra } from '@app/testing';
import type { Channel, ChannelModel } from 'amqplib';
import type { Broker } from '../broker.ts';
import { on } from '../consuming/subscription.ts';
import { names } from '../queues/topology.ts';
import { openRabbit, otherHappened, type Rabbit, thingHappened, things } from './rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

const away = { kind: 'unavailable', code: 'broker_unavailable' };
const channelVersion = ({ connection }: Channel) =>
  (connection as ChannelModel['connection']).serverProperties.version.split('.')[0];

const typed = (type: string, ...numbers: number[]) => things(...numbers).map((event) => ({ ...event, type }));

/** The queues of a consumer that is not there. */
async function absent(queue: string) {
  const once = await rabbit.broker();
  const queues = await rabbit.subscribe(once, { queue, table: [on(thingHappened, async () => undefined)] });
  await once.close();
  return queues;
}

test('each event is a message, which waits for a consumer that is away, whole and in order', async () => {
  const { main } = await absent('away');
  const events = currentContext.run({ requestId: 'request-1' }, () => things(1, 2, 3));
  await broker.publish(events);
  const messages = await rabbit.getAll(main);
  expect(messages.map(({ content }) => JSON.parse(String(content)))).toEqual(events);
  for (const [index, { fields, properties }] of messages.entries()) {
    expect(fields).toMatchObject({ exchange: rabbit.exchange, routingKey: 'thing.happened.v1' });
    expect(properties).toMatchObject({
      messageId: events[index]?.id,
      type: 'thing.happened.v1',
      deliveryMode: 2,
      contentType: 'application/cloudevents+json',
      headers: { 'x-request-id': 'request-1' },
    });
  }
});

test.each(['main', 'retry', 'unknown', 'dead'] as const)(
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
      unknown: { ...deadLettering(queues.main), 'x-message-ttl': 20 },
      // Before version 4 there was no limit to how often a message may come back, nor a way to say so.
      dead: Number(channelVersion(await rabbit.channel())) < 4 ? {} : { 'x-delivery-limit': -1 },
    }[which];
    const assert = async (type: string) => {
      const channel = await rabbit.channel();
      return channel.assertQueue(queues[which], { durable: true, arguments: { 'x-queue-type': type, ...expected } });
    };
    await assert('quorum');
    // The error of the broker names the only argument in which the queue differs from the existing one.
    await expect(assert('classic')).rejects.toThrow("inequivalent arg 'x-queue-type'");
  },
);

test('a full queue rejects, and the publisher gets an error', async () => {
  const full = `${rabbit.namespace}full`;
  const channel = await rabbit.channel();
  await channel.assertQueue(full, {
    durable: true,
    arguments: { 'x-queue-type': 'classic', 'x-max-length': 0, 'x-overflow': 'reject-publish' },
  });
  await channel.bindQueue(full, rabbit.exchange, 'full.v1');
  await expect(broker.publish(typed('full.v1', 1))).rejects.toMatchObject(away);
  await channel.deleteQueue(full);
});

/** A method frame of AMQP 0-9-1 on channel 0, as the broker sends it: Connection.Blocked, with its reason, or Connection.Unblocked. */
function connectionMethod(method: 60 | 61, reason?: string): Buffer {
  const argument = reason === undefined ? [] : [Buffer.from([reason.length]), Buffer.from(reason)];
  const payload = Buffer.concat([Buffer.from([0, 10, 0, method]), ...argument]);
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, payload.length]), payload, Buffer.from([0xce])]);
}

test('without a connection, or while the broker is short of memory, nothing is published and the service is not ready; then both work', async () => {
  const proxy = await TcpProxy.start(testInfra().amqpUrl);
  const through = await rabbit.broker({ url: proxy.url(testInfra().amqpUrl) });
  const blocked = async () => (await metrics.metrics()).match(/^broker_publishing_blocked (\d)/m)?.[1];
  await expect(through.ready()).resolves.toBeUndefined();
  proxy.say(connectionMethod(60, 'low on memory'));
  await eventually(() => expect(through.ready()).rejects.toThrow('takes no messages for now (low on memory)'));
  await expect(through.publish(things(1))).rejects.toMatchObject(away);
  expect(await blocked()).toBe('1');
  proxy.say(connectionMethod(61));
  await eventually(() => through.publish(things(1)));
  expect(await blocked()).toBe('0');
  proxy.refuse();
  await expect(through.publish(things(1))).rejects.toMatchObject(away);
  await expect(through.ready()).rejects.toMatchObject(away);
  proxy.heal();
  await eventually(() => through.publish(things(1)));
  await through.close();
  await proxy.close();
});

/** A service of a platform whose `consumer` has never run. */
async function startPublisher() {
  const platform = { publisher: {}, consumer: { received: [otherHappened] } };
  const publisher = await rabbit.broker({ service: 'publisher', platform });
  return { publisher, main: names(rabbit.namespace, 'consumer').queue('received').main };
}
const others = (...numbers: number[]) => typed(otherHappened.type, ...numbers);

test('an event that is published before its consumer has ever run waits for it', async () => {
  const { publisher, main } = await startPublisher();
  await publisher.publish(others(1, 2));
  expect(await rabbit.count(main)).toBe(2);
  const received: number[] = [];
  const table = [on(otherHappened, async ({ data }) => void received.push(data.n))];
  const consumer = await rabbit.broker({ service: 'consumer' });
  await rabbit.subscribe(consumer, { queue: 'received', table }, 'consumer');
  await eventually(() => expect(received).toEqual([1, 2]));
  await consumer.close();
});

test('an event whose queue was deleted is not confirmed; the queue is created again, and the event can be published', async () => {
  const { publisher, main } = await startPublisher();
  await (await rabbit.channel()).deleteQueue(main);
  await expect(publisher.publish(others(1))).rejects.toMatchObject(away);
  await eventually(() => publisher.publish(others(2)));
  expect((await rabbit.getAll(main)).map(({ content }) => JSON.parse(String(content)).data.n)).toEqual([2]);
});

test('an event type without subscribers is published all the same', async () => {
  const { publisher } = await startPublisher();
  for (const by of [publisher, broker]) await expect(by.publish(typed('unheard.of.v1', 1))).resolves.toBeUndefined();
});
