import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markEmptyDatabase } from '@app/service/migrations';
import { serviceTable } from '@app/start';
import { testInfra, testNamespace } from '@app/testing';
import { MongoClient } from 'mongodb';

let client: MongoClient;
let namespace: string;
const stackDir = mkdtempSync(join(tmpdir(), 'migrate-'));
afterAll(() => rmSync(stackDir, { recursive: true, force: true }));
beforeEach(async () => {
  client = await new MongoClient(testInfra().mongodbUrl).connect();
  namespace = testNamespace();
});
afterEach(async () => {
  for (const { name, database } of serviceTable) if (database) await db(name).dropDatabase();
  await client.close();
});

const db = (service: string) => client.db(`${namespace}${service}`);

/** The command as an operator runs it. */
function migrate(...options: string[]) {
  const { mongodbUrl: MONGODB_URL, amqpUrl: AMQP_URL } = testInfra();
  const env = { ...process.env, MONGODB_URL, AMQP_URL, NAMESPACE: namespace, STACK_DIR: stackDir };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(__dirname, '../../main.ts'), 'migrate', ...options],
    {
      env,
      encoding: 'utf8',
    },
  );
  return { status, lines: `${stdout}${stderr}`.split('\n').map((line) => line.trim().replace(/ +/g, ' ')) };
}

test('what is pending is listed, done in one call, and then done', async () => {
  const listed = migrate('--list');
  expect(listed.status).toBe(0);
  expect(listed.lines).toEqual(
    expect.arrayContaining(['ticket pending: index tickets.search', 'identity pending: index users.companyEmail']),
  );
  expect(await db('ticket').listCollections().toArray()).toEqual([]);

  const done = migrate();
  expect(done.lines).toEqual(
    expect.arrayContaining(['ticket building: index tickets.search', 'identity building: index users.companyEmail']),
  );
  expect(done.status).toBe(0);
  expect((await db('identity').collection('users').indexes()).map(({ name }) => name)).toContain('companyEmail');

  const again = migrate('--list');
  expect(again.lines.filter((line) => line.includes('pending:'))).toEqual([]);
  // Each call starts six processes.
}, 1_200_000);

test('a failure is named with its service, the others are still done, and the exit code is 1; repeated, it goes on', async () => {
  for (const service of ['identity', 'ticket']) await markEmptyDatabase(db(service));
  const users = db('identity').collection<{ email: string }>('users');
  await users.insertMany([{ email: 'a@x' }, { email: 'a@x' }]);
  await db('ticket').collection('tickets').createIndex({ x: 1 }, { name: 'former' });
  const failed = migrate('identity', 'ticket');
  expect(failed.status).toBe(1);
  expect(failed.lines).toContainEqual(expect.stringContaining('identity the index users.companyEmail cannot be built'));
  expect(failed.lines).toContainEqual(expect.stringContaining('failed: identity.'));
  expect(failed.lines).toContain('ticket building: index tickets.search');
  expect(failed.lines).toContain('ticket not used by this version: index tickets.former');
  await users.deleteMany({});
  expect(migrate('identity', 'ticket')).toMatchObject({ status: 0 });
  expect(await db('purchase').listCollections().toArray()).toEqual([]);

  // What it shows as unused is dropped once it is named, and nothing else.
  const indexes = async () => (await db('ticket').collection('tickets').indexes()).map(({ name }) => name);
  expect(migrate('--drop-index', 'ticket.tickets.status')).toMatchObject({ status: 1 });
  expect(migrate('--drop-index', 'ticket.tickets.former')).toMatchObject({ status: 0 });
  expect(await indexes()).not.toContain('former');
  expect(await indexes()).toContain('status');
}, 1_200_000);
