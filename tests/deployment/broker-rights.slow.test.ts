import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformQueues } from '@app/contracts';
import { makeQueues, names } from '@app/messaging';
import { brokerUsers } from '@app/ops';
import { createProcesses, freePort } from '@app/start/infra';
import { type RabbitCluster, startRabbitCluster } from '@app/testing';
import { type ConfirmChannel, connect } from 'amqplib';
import { brokerDefinitions } from '../../tools/ops/settings/make-secrets.ts';

/** A broker with the users and rights that Docker Compose and Kubernetes give it. */
const folder = mkdtempSync(join(tmpdir(), 'broker-rights-'));
const processes = createProcesses();
const passwords = new Map(brokerUsers.map(({ name }) => [name, randomBytes(16).toString('hex')]));
let rabbit: RabbitCluster;

beforeAll(async () => {
  const [port, distribution, epmdPort] = [await freePort(), await freePort(), await freePort()];
  rabbit = await startRabbitCluster({
    dir: folder,
    ports: [port],
    distributionPorts: [distribution],
    epmdPort,
    processes,
    say: () => undefined,
    configuration: [],
  });
  const file = join(folder, 'definitions.json');
  writeFileSync(file, JSON.stringify(brokerDefinitions(passwords)), { mode: 0o600 });
  await rabbit.control(0, ['import_definitions', file]);
  await makeQueues({ url: urlOf('migrate'), namespace: '', table: platformQueues });
});
afterAll(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (user: string) => `amqp://${user}:${passwords.get(user)}@127.0.0.1:${rabbit.ports[0]}`;
const exchange = names('', '').exchange;
const bytes = Buffer.from('{}');

/** What a user tries; resolves to what the broker says: `done`, or the code of its refusal. */
async function tried(user: string, work: (channel: ConfirmChannel) => unknown): Promise<unknown> {
  const connection = await connect(urlOf(user));
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createConfirmChannel();
    const refused = new Promise((resolve) =>
      channel.on('error', (error: Error & { code?: number }) => resolve(error.code)),
    );
    const done = (async () => {
      await work(channel);
      await channel.waitForConfirms();
      return 'done';
    })();
    return await Promise.race([refused, done.catch(() => refused)]);
  } finally {
    await connection.close();
  }
}

test('a service publishes its events, consumes its queues, and puts failed messages back on them', async () => {
  const { requeue, queue } = names('', 'purchase');
  const { main, retry } = queue('assignments');
  expect(await tried('purchase', (channel) => channel.publish(exchange, 'purchase.changed.v1', bytes))).toBe('done');
  expect(await tried('purchase', (channel) => channel.publish(requeue, retry, bytes))).toBe('done');
  expect(await tried('purchase', (channel) => channel.consume(main, () => undefined))).toBe('done');
});

const ofIdentity = names('', 'identity').queue('erasures');

test.each<[string, (channel: ConfirmChannel) => unknown]>([
  ["publish another service's event", (channel) => channel.publish(exchange, 'user.erased.v1', bytes)],
  ['publish the request for an export', (channel) => channel.publish(exchange, 'export.page_requested.v1', bytes)],
  ["put a message on another service's queue", (channel) => channel.sendToQueue(ofIdentity.main, bytes)],
  ['put a message on it by its exchange', (channel) => channel.publish('identity.requeue', ofIdentity.retry, bytes)],
  ["consume another service's queue", (channel) => channel.consume(ofIdentity.main, () => undefined)],
  ["consume another service's dead letters", (channel) => channel.get(ofIdentity.dead)],
  ["empty another service's queue", (channel) => channel.purgeQueue(ofIdentity.main)],
  ["delete another service's queue", (channel) => channel.deleteQueue(ofIdentity.main)],
  ['delete the exchange', (channel) => channel.deleteExchange(exchange)],
  ['listen to all events', (channel) => channel.bindQueue('purchase.assignments', exchange, '#')],
  [
    'make a queue that forwards',
    (channel) => channel.assertQueue('purchase.forward', { deadLetterExchange: exchange }),
  ],
  ['lead its own exchange into that of events', (channel) => channel.bindExchange(exchange, 'purchase.requeue', '#')],
])('it may not %s', async (_what, work) => {
  expect(await tried('purchase', work)).toBe(403);
});

test.each(brokerUsers.filter(({ topic }) => topic))(
  'no other service may forge what $name alone publishes',
  async ({ name, topic }) => {
    const others = brokerUsers.filter((one) => one.topic && one.name !== name);
    const own = topic?.write.slice(2, -2).replaceAll('[.]', '.').split('|') ?? [];
    const alone = own.filter((type) => others.every((one) => !new RegExp(one.topic?.write ?? '').test(type)));
    for (const other of others)
      if (alone[0])
        expect([
          other.name,
          await tried(other.name, (channel) => channel.publish(exchange, alone[0] ?? '', bytes)),
        ]).toEqual([other.name, 403]);
  },
);
