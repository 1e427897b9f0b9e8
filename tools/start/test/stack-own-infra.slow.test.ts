import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePortBase } from '@app/start/infra';
import { eventually } from '@app/testing';
import { MongoClient } from 'mongodb';
import { portSpan } from '../arguments.ts';
import { expectGone, killLaunchers, launch, newFolder, readStack } from './launcher.ts';

/** The launcher finds or fetches MongoDB and RabbitMQ itself, repeatedly, in a folder with spaces. */
const folder = newFolder();
afterEach(killLaunchers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inDatabase = async <T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(url);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const keep = (url: string) =>
  inDatabase(url, (client) =>
    client.withSession((session) =>
      session.withTransaction(() => client.db('kept').collection('things').insertOne({ kept: true }, { session })),
    ),
  );

const countKept = (url: string) => inDatabase(url, (client) => client.db('kept').collection('things').countDocuments());

test('it comes up, restarts what ends, and Ctrl-C stops everything', async () => {
  const base = await freePortBase(portSpan + 1);
  const launcher = launch({ folder, base });
  const first = await launcher.ready();
  expect(Object.keys(first).sort()).toEqual(
    ['ticketApi', 'tsApi', 'download', 'mongodb', 'amqp', 'adminToken', 'pids', 'processes'].sort(),
  );
  expect(first).toMatchObject({ ticketApi: `http://127.0.0.1:${base}`, tsApi: `http://127.0.0.1:${base + 1}` });
  expect(statSync(join(folder, '.stack', 'stack.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, '.stack', 'keys.json')).mode & 0o777).toBe(0o600);
  await keep(first.mongodb);

  writeFileSync(join(folder, 'identity.crash'), '');
  await eventually(() => expect(readStack(folder).pids['identity']).not.toBe(first.pids['identity']));
  const message = 'identity ended unexpectedly (exit code 7): starting it again';
  await eventually(() => expect(launcher.output()).toContain(message));

  const { processes } = await launcher.ready();
  launcher.child.kill('SIGINT');
  expect(await launcher.exitCode).toBe(0);
  await expectGone(folder, [...first.processes, ...processes]);
});

test('a second start finds the same data on another port, and kill -9 of the launcher leaves nothing', async () => {
  const launcher = launch({ folder, base: await freePortBase(portSpan + 1) });
  const { mongodb, processes } = await launcher.ready();
  expect(await countKept(mongodb)).toBe(1);

  const second = launch({ folder, base: await freePortBase(portSpan + 1) });
  expect(await second.exitCode).toBe(1);
  expect(second.output()).toContain(`already running (pid ${launcher.child.pid})`);

  launcher.child.kill('SIGKILL');
  await expectGone(folder, processes);
});

test('after kill -9 it starts on the same data at once, restarts a killed MongoDB, and stops with its terminal', async () => {
  const base = await freePortBase(portSpan + 1);
  const cutOff = launch({ folder, base });
  const { processes: before } = await cutOff.ready();
  cutOff.child.kill('SIGKILL');
  const launcher = launch({ folder, base });
  const { mongodb, processes } = await launcher.ready();
  expect(await countKept(mongodb)).toBe(1);

  const mongod = processes.find(({ pid }) => launcher.child.pid !== pid && commandOf(pid).includes('mongod'));
  process.kill(mongod?.pid as number, 'SIGKILL');
  await eventually(async () => expect(await countKept(mongodb)).toBe(1));
  const mongodbMessage = 'mongodb ended unexpectedly (killed by SIGKILL): starting it again';
  await eventually(() => expect(launcher.output()).toContain(mongodbMessage));

  const { processes: after } = await launcher.ready();
  launcher.child.kill('SIGHUP');
  expect(await launcher.exitCode).toBe(0);
  await expectGone(folder, [...before, ...processes, ...after]);
});

test('--fresh starts from empty data', async () => {
  const launcher = launch({ folder, base: await freePortBase(portSpan + 1), args: ['--fresh'] });
  const { mongodb, processes } = await launcher.ready();
  expect(await countKept(mongodb)).toBe(0);
  launcher.child.kill('SIGTERM');
  expect(await launcher.exitCode).toBe(0);
  await expectGone(folder, processes);
});

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
