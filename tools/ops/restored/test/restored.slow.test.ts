import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { platformQueues } from '@app/contracts';
import { type Broker, connectBroker } from '@app/messaging';
import { markEmptyDatabase } from '@app/service/migrations';
import { serviceTable } from '@app/start';
import { testInfra, testLogger, testNamespace } from '@app/testing';
import { MongoClient } from 'mongodb';

type Thing = { _id: string; version?: number; last?: number };

let client: MongoClient;
let namespace: string;
let broker: Broker | null = null;
beforeEach(async () => {
  client = await new MongoClient(testInfra().mongodbUrl).connect();
  namespace = testNamespace();
});
afterEach(async () => {
  await broker?.close();
  broker = null;
  for (const { name, database } of serviceTable) if (database) await db(name).dropDatabase();
  await client.close();
});

const db = (service: string) => client.db(`${namespace}${service}`);
const ofTicket = (collection: string) => db('ticket').collection<Thing>(collection);
const idAt = (at: Date) => `${Math.floor(at.getTime() / 1_000).toString(16)}${'0'.repeat(16)}`;

/** The command as an operator runs it, beside this process, which may hold a connection to the broker. */
async function restored(...args: string[]) {
  const { mongodbUrl: MONGODB_URL, amqpUrl: AMQP_URL } = testInfra();
  const env = { ...process.env, MONGODB_URL, AMQP_URL, NAMESPACE: namespace };
  const program = join(__dirname, '../../main.ts');
  const child = spawn(process.execPath, [program, 'restored', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[status], ...output] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { status, output: output.join('').replace(/ +/g, ' ') };
}

const hourAgo = new Date(Date.now() - 3_600_000);

async function ticketDatabase(): Promise<void> {
  await markEmptyDatabase(db('ticket'));
  await ofTicket('tickets').insertOne({ _id: idAt(hourAgo), version: 7 });
  await ofTicket('ticket_numbers').insertOne({ _id: 'client', last: 40 });
}

test('versions are raised and numbers skipped, each time it runs; what is to be told again is asked for', async () => {
  await ticketDatabase();
  const before = Date.now();
  const first = await restored('ticket');
  expect(first).toMatchObject({
    status: 0,
    output: expect.stringContaining('raised: the versions of 1 tickets, 0 contractors and 0 referentials'),
  });
  expect(first.output).toContain('requested: invoice-reconciliation: check tickets');
  const [ticket, numbers] = [await ofTicket('tickets').findOne(), await ofTicket('ticket_numbers').findOne()];
  expect(ticket?.version).toBeGreaterThanOrEqual(before);
  // One for each second since the newest thing in the database.
  expect(numbers?.last).toBeGreaterThan(40 + 3_600);
  expect((await restored('ticket')).status).toBe(0);
  expect((await ofTicket('tickets').findOne())?.version).toBeGreaterThan(ticket?.version as number);
}, 300_000);

test('beside a replica that runs it is refused, and changes nothing; --again and --list are not', async () => {
  await ticketDatabase();
  expect(await restored('ticket', '--again')).toMatchObject({
    status: 1,
    output: expect.stringContaining('this database was not restored: run it without --again'),
  });
  expect((await restored('ticket')).status).toBe(0);
  const before = await ofTicket('tickets').findOne();
  const { amqpUrl: url } = testInfra();
  const options = { url, namespace, service: 'ticket', logger: testLogger(), platform: platformQueues };
  broker = await connectBroker(options);
  await broker.subscribe({ queue: 'restores', table: [] });
  expect(await restored('ticket')).toMatchObject({
    status: 1,
    output: expect.stringContaining('ticket is running: stop all its replicas'),
  });
  expect(await ofTicket('tickets').findOne()).toEqual(before);
  expect(await restored('ticket', '--again')).toMatchObject({
    status: 0,
    output: expect.not.stringContaining('raised'),
  });
  expect((await restored('ticket', '--list')).output).toContain('nothing that others know was lost');
}, 300_000);

test('an empty database is refused by name, and the others are done', async () => {
  await markEmptyDatabase(db('identity'));
  await db('identity').collection<Thing>('sessions').insertOne({ _id: 'session' });
  await db('identity')
    .collection<Thing>('companies')
    .insertOne({ _id: idAt(hourAgo) });
  const { status, output } = await restored('identity', 'ticket');
  expect(status).toBe(1);
  expect(output).toContain('ended: 1 sessions');
  expect(output).toContain(`the database ${namespace}ticket is empty: restore it first`);
  expect(output).toContain('failed: ticket');
  expect(await db('identity').collection('sessions').countDocuments()).toBe(0);
}, 300_000);
