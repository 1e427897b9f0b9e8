import { setTimeout as later } from 'node:timers/promises';
import { metrics } from '@app/runtime';
import { eventually, TcpProxy, testInfra, testLogger } from '@app/testing';
import { connect } from 'amqplib';
import { connectWithRecovery, disconnect } from '../connection.ts';
import { on } from '../consuming/subscription.ts';
import { onChannel } from '../queues/topology.ts';
import { type CutRabbit, gate, openCutRabbit, thingHappened, things } from './rabbit.ts';

let { rabbit, proxy, broker, steady, end } = {} as CutRabbit;
beforeAll(async () => {
  ({ rabbit, proxy, broker, steady, end } = await openCutRabbit());
});
beforeEach(() => {
  rabbit.logger.lines.length = 0;
});
afterEach(async () => {
  proxy.heal();
  await eventually(() => broker.ready());
});
afterAll(() => end());

const said = () => rabbit.logger.lines.map(({ message }) => message);

/** A consumer on the connection that tests cut, and what it has handled. */
async function consumer(queue: string, handle: (n: number) => Promise<void> = async () => undefined) {
  const handled: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      await handle(n);
      handled.push(n);
    }),
  ];
  return { handled, ...(await rabbit.subscribe(broker, { queue, table })) };
}

/** Connection.Close of AMQP 0-9-1, as `rabbitmqctl close_all_connections` has it sent: 320, with a reason. */
const closedByBroker = (() => {
  const reason = Buffer.from('CONNECTION_FORCED - maintenance');
  const payload = Buffer.concat([Buffer.from([0, 10, 0, 50, 1, 64, reason.length]), reason, Buffer.from([0, 0, 0, 0])]);
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, payload.length]), payload, Buffer.from([0xce])]);
})();

test('publisher and consumer recover by themselves after the broker closed their connections', async () => {
  const { handled } = await consumer('closed-by-broker');
  proxy.say(closedByBroker);
  await eventually(() => expect(said()).toContain('broker connection lost'));
  await eventually(() => broker.publish(things(1)));
  await steady.publish(things(2));
  await eventually(() => expect(handled).toEqual(expect.arrayContaining([1, 2])));
});

test('nothing is lost however often the connection is cut, at whatever moment', async () => {
  const { handled } = await consumer('often');
  let cutting = true;
  let published = 0;
  const cuts = (async () => {
    let [longestMs, before] = [400, 0];
    for (let round = 1; cutting; round++) {
      // From the middle of a handshake to well after everything is set up.
      await later((round * 37) % longestMs);
      proxy.cut();
      if (round % 11 > 0) continue;
      // A busy machine takes longer to set everything up.
      if (published === before) longestMs *= 2;
      before = published;
    }
  })();
  try {
    for (let n = 1; n <= 60; n++) {
      // What the broker did not confirm is published again, as the relay does.
      await eventually(() => broker.publish(things(n)));
      published = n;
    }
  } finally {
    cutting = false;
    await cuts;
  }
  await eventually(() => expect(new Set(handled).size).toBe(60));
});

test('a connection that breaks while it is being set up is retried', async () => {
  const { handled } = await consumer('halfway');
  let broken = 0;
  // Cuts the connection after the first bytes of the handshake, then later and later, until
  // everything is set up before the cut.
  for (let bytes = 0, whole = false; !whole; bytes += 300) {
    rabbit.logger.lines.length = 0;
    proxy.cutAfter(bytes);
    proxy.cut();
    const connected = () => said().filter((line) => line === 'broker connected');
    // There are two connections, one to publish and one to consume.
    await eventually(() => expect(said().includes('broker cannot be reached') || connected().length >= 2).toBe(true));
    whole = !said().includes('broker cannot be reached');
    if (!whole) broken += 1;
    proxy.heal();
    await eventually(() => broker.ready());
  }
  expect(broken).toBeGreaterThan(2);
  await eventually(() => broker.publish(things(1)));
  await eventually(() => expect(handled).toContain(1));
});

test('each try to connect is a line of its own, the first one with the cause', async () => {
  const logger = testLogger();
  const url = 'amqp://localhost:1';
  const setUp = async () => undefined;
  const connection = await connectWithRecovery({ url, name: 'refused', logger, onLost: () => undefined, setUp });
  await eventually(() => expect(logger.lines.length).toBeGreaterThanOrEqual(3));
  await disconnect(connection);
  const [first, ...others] = logger.lines;
  const line = { level: 'warn', message: 'broker cannot be reached' };
  const cause = expect.stringContaining('ECONNREFUSED');
  expect(first).toEqual({ ...line, fields: { connection: 'refused', cause } });
  for (const other of others) expect(other).toEqual({ ...line, fields: { connection: 'refused' } });
});

test('the metric says whether a service is connected', async () => {
  const connected = async () => (await metrics.getSingleMetric('broker_connected')?.get())?.values[0]?.value;
  // The gauge is that of the last broker that was made in this process.
  const last = await rabbit.broker({ url: proxy.url(testInfra().amqpUrl), service: 'last' });
  expect(await connected()).toBe(1);
  proxy.cutAfter(0);
  proxy.cut();
  await eventually(async () => expect(await connected()).toBe(0));
  proxy.heal();
  await eventually(() => last.ready());
  expect(await connected()).toBe(1);
});

test('a connection that is lost while something else is awaited for it is made again', async () => {
  let attempts = 0;
  const connection = await connectWithRecovery({
    url: testInfra().amqpUrl,
    name: 'lost in set-up',
    logger: rabbit.logger,
    onLost: () => undefined,
    async setUp(model) {
      attempts += 1;
      if (attempts > 1) return;
      // The publisher's set-up waits in the same way: for queues that the other connection creates.
      const closed = new Promise((resolve) => model.once('close', resolve));
      await model.close();
      await closed;
    },
  });
  await connection.waitForConnect();
  expect(attempts).toBe(2);
  await (await connection.createChannel()).close();
  await disconnect(connection);
});

test('a set-up that fails just as the connection is lost is tried again', async () => {
  let attempts = 0;
  const connection = await connectWithRecovery({
    url: proxy.url(testInfra().amqpUrl),
    name: 'failed and lost',
    logger: rabbit.logger,
    onLost: () => undefined,
    async setUp() {
      attempts += 1;
      if (attempts > 1) return;
      // The broker does not answer that the connection is closed.
      proxy.cut();
      throw new Error('refused');
    },
  });
  await connection.waitForConnect();
  expect(attempts).toBe(2);
  await disconnect(connection);
});

test('a channel whose connection is lost while it is closed holds nobody up', async () => {
  const connection = await connect(proxy.url(testInfra().amqpUrl));
  connection.on('error', () => undefined);
  const work = onChannel(connection, async (channel) => {
    await channel.checkExchange(rabbit.exchange);
    proxy.cut();
    return 'done';
  });
  await expect(work).resolves.toBe('done');
});

test('a message that failed while the connection was away is neither lost nor dead-lettered', async () => {
  const held = gate();
  let begun = 0;
  const { handled, dead } = await consumer('failed-away', async () => {
    begun += 1;
    if (begun > 1) return;
    await held.opened;
    throw new Error('and nowhere to send it');
  });
  await steady.publish(things(1));
  await eventually(() => expect(begun).toBe(1));
  proxy.refuse();
  held.open();
  await eventually(() => expect(said()).toContain('message not acknowledged: the broker will redeliver it'));
  proxy.heal();
  await eventually(() => expect(handled).toEqual([1]));
  expect(await rabbit.count(dead)).toBe(0);
});

test('a service may start before its broker', async () => {
  const other = await TcpProxy.start(testInfra().amqpUrl);
  other.refuse();
  const starting = rabbit.broker({ service: 'early', url: other.url(testInfra().amqpUrl) });
  await eventually(() => expect(said()).toContain('broker cannot be reached'));
  other.heal();
  const early = await starting;
  await expect(early.publish(things(1))).resolves.toBeUndefined();
  await early.close();
  await other.close();
});

test('a broker that stops responding is detected', async () => {
  const other = await TcpProxy.start(testInfra().amqpUrl);
  const listening = await rabbit.broker({ service: 'silent', url: `${other.url(testInfra().amqpUrl)}?heartbeat=1` });
  const handled: number[] = [];
  const table = [on(thingHappened, async ({ data: { n } }) => void handled.push(n))];
  await rabbit.subscribe(listening, { queue: 'silent', table }, 'silent');
  other.freeze();
  await eventually(() => expect(listening.ready()).rejects.toMatchObject({ code: 'broker_unavailable' }));
  await steady.publish(things(1));
  other.heal();
  await eventually(() => expect(handled).toEqual([1]));
  await listening.close();
  await other.close();
});

test('a service that consumes no more still publishes after a reconnection, and reads no depths', async () => {
  const stopping = await rabbit.broker({ service: 'stopping', url: proxy.url(testInfra().amqpUrl) });
  const table = [on(thingHappened, async () => undefined)];
  const { main } = await rabbit.subscribe(stopping, { queue: 'stopping', table }, 'stopping');
  const depthIsRead = async (queue: string) =>
    expect(await metrics.metrics()).toContain(`queue_messages{queue="${queue}"}`);
  await eventually(() => depthIsRead(main));
  await stopping.stopConsuming();
  proxy.cut();
  await eventually(() => stopping.publish(things(1)));
  await eventually(() => stopping.ready());
  // Its depth is read later than that of a queue whose watch began before.
  const after = await consumer('after');
  await eventually(() => depthIsRead(after.main));
  await expect(depthIsRead(main)).rejects.toThrow();
  await stopping.close();
});

test('a consumer that is added while a new connection is set up starts with it', async () => {
  const adding = await rabbit.broker({ service: 'adding', url: proxy.url(testInfra().amqpUrl) });
  const channel = await rabbit.channel();
  // Each set-up says in its middle that this queue is of another version.
  await channel.assertQueue(`${rabbit.namespace}adding.former`, { durable: true });
  await rabbit.subscribe(adding, { queue: 'former', table: [on(thingHappened, async () => undefined)] }, 'adding');
  const handled: number[] = [];
  const table = [on(thingHappened, async ({ data: { n } }) => void handled.push(n))];
  let added: Promise<unknown> | undefined;
  const { warn } = rabbit.logger;
  rabbit.logger.warn = (message, fields) => {
    warn(message, fields);
    if (message.startsWith('queues have')) added ??= rabbit.subscribe(adding, { queue: 'added', table }, 'adding');
  };
  proxy.cut();
  await eventually(() => expect(added).toBeDefined());
  await added;
  rabbit.logger.warn = warn;
  await steady.publish(things(1));
  await eventually(() => expect(handled).toEqual([1]));
  await adding.close();
});

test('a consumer that cannot be started as it should is refused', async () => {
  const clash = await rabbit.broker({ service: 'clash' });
  const channel = await rabbit.channel();
  // Of another connection: nobody else may use it.
  await channel.assertQueue(`${rabbit.namespace}clash.taken`, { exclusive: true });
  const table = [on(thingHappened, async () => undefined)];
  await expect(rabbit.subscribe(clash, { queue: 'taken', table }, 'clash')).rejects.toMatchObject({ code: 405 });
  await clash.close();
});

test('a consumer whose queue was deleted gets a new one and goes on', async () => {
  const { handled, main } = await consumer('deleted');
  await steady.publish(things(1));
  await eventually(() => expect(handled).toEqual([1]));
  const channel = await rabbit.channel();
  await channel.deleteQueue(main);
  await eventually(async () => {
    await steady.publish(things(2));
    expect(handled).toContain(2);
  });
});

test('a message to be retried is not lost with the queue that it would wait in', async () => {
  let begun = 0;
  const { handled, retry } = await consumer('no-retry', async () => {
    begun += 1;
    if (begun < 4) throw new Error('not yet');
  });
  const channel = await rabbit.channel();
  await channel.deleteQueue(retry);
  await steady.publish(things(1));
  await eventually(() => expect(handled).toEqual([1]));
  expect(await rabbit.count(retry)).toBe(0);
});

test('an exchange that was deleted is created again, and consumers receive from it', async () => {
  const { handled } = await consumer('no-exchange');
  const channel = await rabbit.channel();
  await channel.deleteExchange(rabbit.exchange);
  await eventually(async () => {
    await broker.publish(things(1)).catch(() => undefined);
    expect(handled).toContain(1);
  });
});

/** Simulates a process that dies with the message: all unacknowledged messages return to the broker. */
async function die(): Promise<never> {
  const lost = () => said().filter((line) => line === 'broker connection lost').length;
  const before = lost();
  proxy.cut();
  await eventually(() => expect(lost()).toBeGreaterThan(before));
  throw new Error('the process that handled it is no more');
}

test('a message that kills its process each time is dead-lettered alone: the messages in flight beside it are handled', async () => {
  const begun: [n: number, redelivered: boolean | undefined][] = [];
  const handled: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }, message) => {
      begun.push([n, message?.redelivered]);
      await (n === 2 ? die() : later(20));
      handled.push(n);
    }),
  ];
  const { main, dead } = await rabbit.subscribe(broker, { queue: 'fatal', table });
  // Of the same service, and always unacknowledged when its process ends.
  const over = gate();
  const other = await consumer('beside', () => over.opened);
  await steady.publish(things(1, 2, 3, 4, 5, 6));
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  over.open();
  expect((await rabbit.getAll(dead)).map(({ content }) => JSON.parse(String(content)).data.n)).toEqual([2]);
  expect(begun.filter(([n]) => n === 2)).toHaveLength(11);
  await eventually(() => expect([...new Set(handled)].sort()).toEqual([1, 3, 4, 5, 6]));
  await eventually(() => expect([...new Set(other.handled)].sort()).toEqual([1, 2, 3, 4, 5, 6]));
  for (const name of [main, other.main]) await eventually(async () => expect(await rabbit.count(name)).toBe(0));
  expect(await rabbit.count(other.dead)).toBe(0);
  // The handler knows which messages were delivered before.
  const again = begun.filter(([n], index) => begun.findIndex((one) => one[0] === n) < index);
  expect([begun[0]?.[1], new Set(again.map(([, redelivered]) => redelivered))]).toEqual([false, new Set([true])]);
});
