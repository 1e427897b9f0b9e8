import { eventually, TcpProxy, testInfra } from '@app/testing';
import { on } from '../../consuming/subscription.ts';
import { gate, openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

let rabbit: Rabbit;
let proxy: TcpProxy;
const { amqpUrl } = testInfra();
beforeAll(async () => {
  rabbit = await openRabbit();
  proxy = await TcpProxy.start(amqpUrl);
});
afterAll(async () => {
  await rabbit.end();
  await proxy.close();
});

/** A consumer that replaces its channel every `renewEveryMs`, and the messages that it has handled. */
async function consumer(queue: string, given: { renewEveryMs: number; prefetch?: number }) {
  const { renewEveryMs, prefetch = 16 } = given;
  const broker = await rabbit.broker({ url: proxy.url(amqpUrl), renewEveryMs });
  const handled: number[] = [];
  const table = [on(thingHappened, async ({ data: { n } }) => void handled.push(n))];
  return { broker, handled, ...(await rabbit.subscribe(broker, { queue, table, prefetch })) };
}

test('deliveries that a killed broker takes for made, and no consumer got, are made again', async () => {
  const { broker, handled } = await consumer('phantoms', { renewEveryMs: 1_000, prefetch: 1 });
  // One message first: the consumer then works, and the proxy loses nothing but the next one.
  await broker.publish(things(1));
  await eventually(() => expect(handled).toEqual([1]));
  const [lost, next] = things(2, 3);
  if (!lost || !next) throw new Error('two things');
  proxy.lose(lost.id);
  await broker.publish([lost]);
  // The lost message holds the only place of the prefetch.
  await broker.publish([next]);
  await eventually(() => expect(handled).toEqual([1, 2, 3]));
  expect(rabbit.logger.lines.filter(({ level }) => level !== 'info')).toEqual([]);
});

test.each([1, 16])(
  'a channel is changed between messages: each is handled once, with a prefetch of %i',
  async (prefetch) => {
    const { broker, handled } = await consumer(`changed-${prefetch}`, { renewEveryMs: 1, prefetch });
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    for (let n = 0; n < 100; n += 20) await broker.publish(things(...numbers.slice(n, n + 20)));
    await eventually(() => expect(handled.length).toBeGreaterThanOrEqual(100));
    // With a prefetch of 1 the order is kept, too.
    expect(prefetch === 1 ? handled : handled.sort((a, b) => a - b)).toEqual(numbers);
    expect(rabbit.logger.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  },
);

/** Connection.Blocked and Connection.Unblocked of RabbitMQ: an alarm stops who publishes, and ends. */
const blocked = Buffer.from([1, 0, 0, 0, 0, 0, 7, 0, 10, 0, 60, 2, 0x6e, 0x6f, 0xce]);
const unblocked = Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, 0xce]);

test('a message that waits through an alarm to be requeued is not counted as failed, and delays no other', async () => {
  const steady = await rabbit.broker({ service: 'steady' });
  const broker = await rabbit.broker({ url: proxy.url(amqpUrl), renewEveryMs: 100 });
  const held = gate();
  const handled: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      handled.push(n);
      if (n !== 1 || handled.includes(2)) return;
      await held.opened;
      throw new Error('its database is away');
    }),
  ];
  const { dead } = await rabbit.subscribe(broker, { queue: 'waiting', table });
  await steady.publish(things(1));
  await eventually(() => expect(handled).toEqual([1]));
  proxy.say(blocked);
  await eventually(() => expect(broker.ready()).rejects.toThrow('takes no messages'));
  held.open();
  // It comes by the next channel: that of the first message is to be replaced while that one waits.
  await steady.publish(things(2));
  await eventually(() => expect(handled).toEqual([1, 2]));
  proxy.say(unblocked);
  await eventually(() => expect(handled).toEqual([1, 2, 1]));
  const warnings = rabbit.logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings).not.toContain('message not acknowledged: the broker will redeliver it');
  expect(await rabbit.count(dead)).toBe(0);
});
