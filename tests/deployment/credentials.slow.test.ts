import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { connectMongo } from '@app/runtime';
import { makeKeys, nodeEnvironment, serviceEnvironment, serviceTable } from '@app/start';
import { type Authority, createAuthority, createProcesses, freePort, issueCertificate } from '@app/start/infra';
import { eventually, type MongoSet, type RabbitCluster, startMongoSet, startRabbitCluster } from '@app/testing';
import { runProgram } from '../setup/run-program.ts';
import { documentsOf, named, ofKind } from './rendered-manifests.ts';

/** MongoDB and RabbitMQ as in production: with TLS, a certificate authority of our own, and a user for each service. */
const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
const processes = createProcesses();
const children: ChildProcess[] = [];
const keys = makeKeys();
const say = () => undefined;

type User = { name: string; roles: { name: string; db: string }[] };
/** The users with the rights that the Kubernetes manifests give them. */
const users = readUsers();
const broker = readBroker();
const passwords = new Map<string, string>();
/** Passwords that the test has changed in RabbitMQ, by user. */
const changedPasswords = new Map<string, string>();

let authority: Authority;
let mongo: MongoSet;
let mongoPort: number;
let rabbit: RabbitCluster;
let amqpsPort: number;

beforeAll(async () => {
  const made = await createAuthority(folder);
  authority = made;
  await giveServersCertificate(made);
  writeFileSync(join(folder, 'keyfile'), randomBytes(64).toString('base64'), { mode: 0o600 });
  const ports = [];
  for (let n = 0; n < 5; n++) ports.push(await freePort());
  const [member, plain, distribution, epmdPort, tls] = ports as [number, number, number, number, number];
  mongoPort = member;
  amqpsPort = tls;
  [mongo, rabbit] = await Promise.all([
    startMongoSet({
      dir: folder,
      ports: [member],
      hosts: [`localhost:${member}`],
      processes,
      say,
      memberArguments: [
        '--tlsMode',
        'requireTLS',
        '--tlsCertificateKeyFile',
        join(folder, 'both.pem'),
        '--tlsCAFile',
        authority.certFile,
        '--tlsAllowConnectionsWithoutCertificates',
        '--keyFile',
        join(folder, 'keyfile'),
      ],
      clientOptions: { tls: true, tlsCAFile: authority.certFile },
    }),
    startRabbitCluster({
      dir: folder,
      ports: [plain],
      distributionPorts: [distribution],
      epmdPort,
      processes,
      say,
      configuration: [
        `listeners.ssl.default = 127.0.0.1:${tls}`,
        `ssl_options.cacertfile = ${authority.certFile}`,
        `ssl_options.certfile = ${join(folder, 'cert.pem')}`,
        `ssl_options.keyfile = ${join(folder, 'key.pem')}`,
        'ssl_options.verify = verify_none',
        'ssl_options.fail_if_no_peer_cert = false',
      ],
    }),
  ]);
  await asRoot();
  await addUsers(users.map((user) => ({ ...user, rights: broker.rightsOf(user.name) })));
  await migrate();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the certificate of both servers, which they read when they start. */
async function giveServersCertificate(issuer: Authority): Promise<void> {
  const { key, cert } = await issueCertificate(issuer, ['localhost', '127.0.0.1']);
  for (const [name, text] of Object.entries({ 'key.pem': key, 'cert.pem': cert, 'both.pem': key + cert })) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
}

function readUsers(): User[] {
  const [cluster] = ofKind('MongoDBCommunity', documentsOf('data'));
  // `asRoot` makes that one.
  return cluster.spec.users.filter(({ name }: User) => name !== 'root');
}

type Rights = { permissions: object; topic: object | null };

function readBroker(): { vhost: string; rightsOf: (user: string) => Rights } {
  const documents = documentsOf('data');
  const [vhost] = ofKind('Vhost', documents);
  return {
    vhost: vhost.spec.name,
    rightsOf: (user) => ({
      permissions: named('Permission', user, documents)?.spec.permissions ?? { configure: '', write: '', read: '' },
      topic: named('TopicPermission', user, documents)?.spec.permissions ?? null,
    }),
  };
}

const rootPassword = randomBytes(16).toString('hex');

/** Creates the first user: without any user the server accepts connections from this machine. */
async function asRoot(): Promise<void> {
  await mongo.command(0, { createUser: 'root', pwd: rootPassword, roles: ['root'] });
}

async function administrate(command: object): Promise<void> {
  const connection = await connectMongo({
    url: `mongodb://root:${rootPassword}@localhost:${mongoPort}/?replicaSet=rs0&authSource=admin&tls=true&tlsCAFile=${encodeURIComponent(authority.certFile)}`,
    database: 'admin',
  });
  await connection.db?.command(command).finally(() => connection.close());
}

/** Makes them in MongoDB and, with their virtual host, in RabbitMQ. */
async function addUsers(added: (User & { rights: Rights })[]): Promise<void> {
  for (const { name, roles } of added) {
    passwords.set(name, randomBytes(16).toString('hex'));
    const own = roles.map(({ name: role, db }) => ({ role, db }));
    await administrate({ createUser: name, pwd: passwords.get(name), roles: own });
  }
  const vhost = broker.vhost;
  const definitions = {
    vhosts: [{ name: vhost }],
    users: added.map(({ name }) => ({ name, password: passwords.get(name), tags: [] })),
    permissions: added.map(({ name: user, rights }) => ({ user, vhost, ...rights.permissions })),
    topic_permissions: added.flatMap(({ name: user, rights }) =>
      rights.topic ? [{ user, vhost, ...rights.topic }] : [],
    ),
  };
  const file = join(folder, 'definitions.json');
  writeFileSync(file, JSON.stringify(definitions), { mode: 0o600 });
  await rabbit.control(0, ['import_definitions', file]);
}

const mongodbUrl = (user: string) =>
  `mongodb://${user}:${passwords.get(user)}@localhost:${mongoPort}/?replicaSet=rs0&authSource=admin&tls=true`;
const amqpUrl = (user: string) =>
  `amqps://${user}:${changedPasswords.get(user) ?? passwords.get(user)}@localhost:${amqpsPort}/${broker.vhost}`;

/** As the user of that name: services may not make the queues. */
async function migrate(): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    NODE_EXTRA_CA_CERTS: authority.certFile,
    MONGODB_URL: mongodbUrl('migrate'),
    AMQP_URL: amqpUrl('migrate'),
  };
  await runProgram('tools/ops/main.ts', ['migrate'], { env });
}

type Started = { child: ChildProcess; output: () => string; ready: () => Promise<number | null> };

/** A service as a process of its own, with the secrets of a user in files. */
async function start(name: string, user = name, more: NodeJS.ProcessEnv = {}): Promise<Started & { amqpFile: string }> {
  const entry = serviceTable.find((one) => one.name === name);
  if (!entry) throw new Error(`there is no service ${name}`);
  const amqpFile = join(folder, `amqp-${user}`);
  writeFileSync(amqpFile, `${amqpUrl(user)}\n`);
  const opsPort = await freePort();
  const settings = { base: 4000, keys, mongodb: mongodbUrl(user), amqp: '', certificates: authority.certFile, env: {} };
  const { AMQP_URL: _inFile, ...env } = serviceEnvironment(entry, serviceTable, settings);
  const child = spawn(process.execPath, [join(root, 'services', name, 'main.ts')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ...nodeEnvironment(folder),
      ...env,
      AMQP_URL_FILE: amqpFile,
      PORT: String(await freePort()),
      OPS_PORT: String(opsPort),
      NODE_ENV: 'development',
      ...more,
    },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ready = () =>
    fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
      ({ status }) => status,
      () => null,
    );
  return { child, amqpFile, output: () => output, ready };
}

async function stopped({ child }: Started): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

async function isReady(started: Started): Promise<void> {
  await eventually(async () => {
    if (started.child.exitCode !== null) throw new Error(started.output());
    expect(await started.ready()).toBe(200);
  });
}

const services = serviceTable.filter(({ database }) => database).map(({ name }) => name);

test.each(services)('%s runs over TLS with the rights that the manifests give its user', async (name) => {
  const started = await start(name);
  await isReady(started);
  expect(started.output()).not.toMatch(/not authorized|Unauthorized|ACCESS_REFUSED/i);
  await stopped(started);
});

test('a server whose certificate nobody vouches for is not spoken to', async () => {
  const started = await start('identity', 'identity', { NODE_EXTRA_CA_CERTS: '' });
  const [code] = await once(started.child, 'exit');
  expect(code).toBe(1);
  expect(started.output()).toMatch(/self-signed certificate|unable to verify/i);
  expect(started.output()).not.toContain(passwords.get('identity'));
});

test('a new password of RabbitMQ counts from the next connection on, without a restart', async () => {
  const started = await start('identity');
  await isReady(started);
  const { pid } = started.child;
  const changed = randomBytes(16).toString('hex');
  await rabbit.control(0, ['change_password', 'identity', changed]);
  changedPasswords.set('identity', changed);
  writeFileSync(started.amqpFile, `${amqpUrl('identity')}\n`);
  await rabbit.control(0, ['close_all_connections', '--vhost', broker.vhost, 'rotation']);
  const count = (line: string) => started.output().split(line).length - 1;
  await eventually(() => expect(started.output()).toContain('broker connection lost'));
  await eventually(() => expect(count('broker connected')).toBeGreaterThan(count('broker connection lost')));
  await isReady(started);
  expect([started.child.pid, started.child.exitCode]).toEqual([pid, null]);
  await stopped(started);
});

test('a second user takes over from the first: replicas of both run side by side, and the first can be deleted', async () => {
  const before = await start('identity');
  await isReady(before);
  const roles = users.find(({ name }) => name === 'identity')?.roles ?? [];
  await addUsers([{ name: 'identity-2', roles, rights: broker.rightsOf('identity') }]);
  const after = await start('identity', 'identity-2');
  await isReady(after);
  expect(await before.ready()).toBe(200);
  await stopped(before);
  await administrate({ dropUser: 'identity' });
  await rabbit.control(0, ['delete_user', 'identity']);
  await isReady(after);
  const third = await start('identity', 'identity-2');
  await isReady(third);
  for (const one of [after, third]) await stopped(one);
});

/** @throws Error if the server's certificate is not one of this authority */
async function isVouchedFor(port: number, { cert: ca }: Authority): Promise<void> {
  const socket = connectTls({ host: 'localhost', port, ca });
  await once(socket, 'secureConnect').finally(() => socket.destroy());
}

test('the authority changes: a replica that knows both finds the servers again, the next one knows the new one alone', async () => {
  const next = await createAuthority(join(folder, 'next'));
  const onlyOld = await start('purchase');
  await isReady(onlyOld);
  writeFileSync(authority.certFile, `${authority.cert}\n${next.cert}`);
  const both = await start('purchase');
  await isReady(both);
  await stopped(onlyOld);

  await giveServersCertificate(next);
  await Promise.all([mongo.process(0).stop(), rabbit.process(0).stop()]);
  mongo.start(0);
  rabbit.start(0);
  await Promise.all([mongo.waitUntilWhole(), rabbit.waitUntilWhole()]);
  for (const port of [mongoPort, amqpsPort]) {
    await isVouchedFor(port, next);
    await expect(isVouchedFor(port, authority)).rejects.toThrow(/certificate/);
  }
  await isReady(both);
  expect(both.child.exitCode).toBeNull();

  writeFileSync(authority.certFile, next.cert);
  const onlyNew = await start('purchase');
  await isReady(onlyNew);
  for (const one of [both, onlyNew]) await stopped(one);
});
