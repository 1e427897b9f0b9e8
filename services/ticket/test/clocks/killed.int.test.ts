import { join } from 'node:path';
import { notificationRaised, ticketOverdue } from '@app/contracts';
import { createRelay } from '@app/messaging';
import { connectMongo } from '@app/runtime';
import {
  eventually,
  recordEvents,
  type ServiceProcess,
  startServiceProcess,
  TcpProxy,
  testBroker,
  testInfra,
  testLogger,
  testNamespace,
} from '@app/testing';
import { storedForm, ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { aContractor, at, worked } from '../tickets/fixtures.ts';
import { ticketStores } from '../tickets/stores/ticket-stores.ts';

/** What is due of it has passed, and nobody was told. */
function lateTicket() {
  const none = { response: null, arrival: null, finish: null };
  const changes = [{ at, status: 'opened' as const, asks_client: false }];
  const due = { ...none, finish: new Date(Date.now() - 60_000) };
  const clock = { changes, moves: [], rules: null, due, warn: none, results: none };
  return storedForm(worked('assigned', aContractor(), { clock }));
}

test('of a process that is killed as it writes a warning, or before it publishes it, another one tells it once', async () => {
  const namespace = testNamespace();
  const { mongodbUrl, amqpUrl } = testInfra();
  const connection = await connectMongo({ url: mongodbUrl, database: `${namespace}ticket` });
  const stored = ticketCollection(connection);
  const [toMongo, toRabbit] = [await TcpProxy.start(mongodbUrl), await TcpProxy.start(amqpUrl)];
  const broker = await testBroker(namespace);
  const events = await recordEvents(broker, [ticketOverdue, notificationRaised]);
  const expectTold = (all: { _id: string }[]) =>
    eventually(() => {
      const types = [ticketOverdue, notificationRaised, notificationRaised].map(({ type }) => type);
      const wanted = all.flatMap(({ _id }) => types.map((type) => [_id, type]));
      expect(events.map(({ subject, type }) => [subject, type])).toEqual(wanted);
    });
  const relay = createRelay({ broker, logger: testLogger() });
  const { tickets } = ticketStores(connection, undefined, relay);
  const running: ServiceProcess[] = [];
  const start = async (settings: NodeJS.ProcessEnv) => {
    const started = await startServiceProcess(join(__dirname, '../../main.ts'), {
      NAMESPACE: namespace,
      TIMER_INTERVAL: '50ms',
      IDENTITY_URL: 'http://127.0.0.1:9',
      PUBLIC_TICKET_API_URL: 'http://api.test',
      PUBLIC_DOWNLOAD_URL: 'http://download.test',
      DOWNLOAD_LINK_KEYS: `test:${Buffer.alloc(32, 7).toString('base64url')}`,
      ...settings,
    });
    running.push(started);
    return started;
  };
  const [one, two, three] = [lateTicket(), lateTicket(), lateTicket()];
  try {
    const first = await start({ AMQP_URL: toRabbit.url(amqpUrl) });
    const published = toRabbit.freezeAt(ticketOverdue.type);
    await stored.insertOne(one);
    await published;
    await first.kill();
    toRabbit.cut();
    expect((await stored.findOne({ _id: one._id }))?.outbox).toHaveLength(3);
    relay.start();
    await expectTold([one]);

    const second = await start({ MONGODB_URL: toMongo.url(mongodbUrl) });
    const written = toMongo.freezeAt(ticketOverdue.type);
    await stored.insertOne(two);
    await written;
    await second.kill();
    toMongo.cut();
    // Nothing of it was written before.
    expect(await stored.findOne({ _id: two._id })).toMatchObject({ warn_at: two.warn_at, version: two.version });
    await stored.insertOne(three);
    for (const { _id } of [one, two, two, three]) await tickets.warn(_id);
    await expectTold([one, two, three]);
  } finally {
    await Promise.all(running.map((process) => process.kill()));
    await relay.stop();
    await broker.close();
    await Promise.all([toMongo.close(), toRabbit.close()]);
    await connection.dropDatabase();
    await connection.close();
  }
});
