import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metrics } from '@app/runtime';
import { createProcesses, findRabbit, freePort, type RabbitOptions } from '@app/start/infra';
import { controlRabbit, ensureIndexes, eventually, testDatabase, testLogger } from '@app/testing';
import { connect } from 'amqplib';
import { Schema } from 'mongoose';
import { type Broker, connectBroker } from '../broker.ts';
import { on } from '../consuming/subscription.ts';
import { addOutbox, type WithOutbox } from '../outbox/outbox.ts';
import { createRelay } from '../outbox/relay.ts';
import { gate, thingHappened, things } from './rabbit.ts';

const folder = mkdtempSync(join(tmpdir(), 'alarm-'));
const processes = createProcesses();
const given = process.env['AMQP_URL'];
let options: RabbitOptions;
let url: string;

beforeAll(async () => {
  // An alarm stops everybody who publishes: it needs a broker of its own.
  delete process.env['AMQP_URL'];
  const [port, distributionPort, epmdPort] = [await freePort(), await freePort(), await freePort()];
  options = { dataDir: join(folder, 'rabbitmq'), port, distributionPort, epmdPort, say: () => undefined, processes };
  url = (await findRabbit(options)).url;
  process.env['AMQP_URL'] = given;
});
afterAll(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

const raiseAlarm = () => controlRabbit(options, ['set_vm_memory_high_watermark', '0.00001']);
const endAlarm = () => controlRabbit(options, ['set_vm_memory_high_watermark', '0.4']);
const open = () => connectBroker({ url, namespace: 'alarm-', service: 'test', logger: testLogger() });
const takesMessages = (broker: Broker) =>
  broker.ready().then(
    () => 'it does',
    (error: Error) => error.message,
  );
const blocked = async () => (await metrics.metrics()).match(/^broker_publishing_blocked (\d)/m)?.[1];

/** Messages that are not delivered to a consumer. */
async function left(queue: string): Promise<number> {
  const plain = await connect(url);
  const { messageCount } = await (await plain.createChannel()).checkQueue(queue);
  await plain.close();
  return messageCount;
}

test('while the broker is short of memory a backlog drains, and new events wait in their outboxes', async () => {
  const held = gate();
  const handled: number[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      await held.opened;
      handled.push(n);
    }),
  ];
  const broker = await open();
  await broker.subscribe({ queue: 'backlog', table });
  const backlog = Array.from({ length: 200 }, (_, n) => n);
  await broker.publish(things(...backlog));
  expect([await takesMessages(broker), await blocked()]).toEqual(['it does', '0']);

  await raiseAlarm();
  // The broker notifies publishers once the alarm is known to the connection.
  const inBetween: Promise<void>[] = [];
  await eventually(async () => {
    if ((await takesMessages(broker)) === 'it does') inBetween.push(broker.publish(things(1_000 + inBetween.length)));
    expect(await takesMessages(broker)).toContain('takes no messages');
  });
  expect(await blocked()).toBe('1');
  await expect(broker.publish(things(2_000))).rejects.toMatchObject({ code: 'broker_unavailable' });

  const { connection, drop } = await testDatabase();
  const schema = new Schema<WithOutbox & { _id: string }>({ _id: String });
  addOutbox(schema);
  const model = connection.model<WithOutbox & { _id: string }>('Thing', schema);
  await ensureIndexes(connection);
  await model.insertMany(things(3_000, 3_001).map((event) => ({ _id: event.id, outbox: [event] })));
  const swept = testLogger();
  const relay = createRelay({ broker, logger: swept, sweepEveryMs: 10, sweptAfterMs: -1_000 });
  relay.watch(model);
  relay.start();
  await eventually(() => expect(swept.lines.length).toBeGreaterThan(20));

  held.open();
  await eventually(() => expect(handled.filter((n) => n < 1_000).toSorted((a, b) => a - b)).toEqual(backlog));
  expect(await takesMessages(broker)).toContain('takes no messages');

  await endAlarm();
  await Promise.all(inBetween);
  await eventually(async () => expect(await takesMessages(broker)).toBe('it does'));
  // Each once, however often the sweep came by; and what was refused is not published at all.
  const published = inBetween.map((_, index) => 1_000 + index);
  await eventually(async () => expect(await model.countDocuments({ 'outbox.0': { $exists: true } })).toBe(0));
  await eventually(() => expect(handled.filter((n) => n >= 1_000).toSorted()).toEqual([...published, 3_000, 3_001]));
  expect(await blocked()).toBe('0');
  await relay.stop();
  await broker.close();
  // All of it is acknowledged: nothing goes back to the queue with the connection.
  expect(await left('alarm-test.backlog')).toBe(0);
  await drop();
});
