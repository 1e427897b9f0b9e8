import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeKeys } from '@app/start';
import { brokerUsers, databaseUsers } from './data-users.ts';

/** Settings that are unset until somebody enters a value. */
const mayBeEmpty = [
  'SMTP_URL',
  'MAIL_INBOUND_SECRET',
  'IMAP_URL',
  'STORAGE_URL',
  'WEBHOOK_PROXY_URL',
  'RATE_LIMIT_STORE_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PLATFORM_ADMIN_TOKEN_PREVIOUS',
];

/**
 * Writes the secrets of `docker-compose.yml` into a folder that only its owner can enter, a file each. What is there stays, but for the lists of users
 * that follow from it. The files themselves are readable, since a container sees them with their mode here, and its user is another.
 * @returns the names of the files that are new
 */
export function makeSecrets(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The two halves of a pair are made together.
  const keys = makeKeys();
  const pair = ['INTERNAL_TOKEN_PRIVATE_KEY', 'INTERNAL_TOKEN_PUBLIC_KEYS'];
  const halves = pair.filter((name) => existsSync(join(folder, name)));
  if (halves.length === 1)
    throw new Error(`${folder} has ${halves[0]} without its other half: add ${pair.find((one) => one !== halves[0])}`);
  const secrets: Record<string, string> = {
    ...keys,
    'mongodb-password': password(),
    // Members of a replica set know each other by it; base64 alone is allowed in it.
    'mongodb-keyfile': randomBytes(512).toString('base64'),
    // A message waits unacknowledged as long as an alarm lasts; after half an hour the broker would close its channel.
    'rabbitmq.conf': 'load_definitions = /run/secrets/rabbitmq-definitions.json\nconsumer_timeout = 86400000',
    'grafana-password': password(),
    ...Object.fromEntries(mayBeEmpty.map((name) => [name, ''])),
    ...Object.fromEntries(databaseUsers.map(({ name }) => [`${name}/MONGODB_URL`, mongodbUrl(name, password())])),
    ...Object.fromEntries(brokerUsers.map(({ name }) => [`${name}/AMQP_URL`, amqpUrl(name, password())])),
  };
  const missing = Object.entries(secrets).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, value] of missing) write(folder, name, value);
  const passwordsOf = (users: { name: string }[], setting: string) =>
    new Map(users.map(({ name }) => [name, passwordIn(readFileSync(join(folder, name, setting), 'utf8'))]));
  const mongodb = passwordsOf(databaseUsers, 'MONGODB_URL');
  const roles = databaseUsers.map((user) => ({ ...user, password: mongodb.get(user.name) }));
  write(folder, 'mongodb-users.json', JSON.stringify(roles));
  write(folder, 'root/MONGODB_URL', mongodbUrl('root', readFileSync(join(folder, 'mongodb-password'), 'utf8').trim()));
  write(folder, 'rabbitmq-definitions.json', JSON.stringify(brokerDefinitions(passwordsOf(brokerUsers, 'AMQP_URL'))));
  return missing.map(([name]) => name);
}

/** As RabbitMQ imports them: users, and what each may do. */
export function brokerDefinitions(passwords: Map<string, string>) {
  const vhost = '/';
  return {
    vhosts: [{ name: vhost }],
    users: brokerUsers.map(({ name }) => ({ name, password: passwords.get(name), tags: '' })),
    permissions: brokerUsers.map(({ name: user, permissions }) => ({ user, vhost, ...permissions })),
    topic_permissions: brokerUsers.flatMap(({ name: user, topic }) => (topic ? [{ user, vhost, ...topic }] : [])),
  };
}

const mongodbUrl = (user: string, secret: string) =>
  `mongodb://${user}:${secret}@mongodb:27017/?replicaSet=rs0&authSource=admin`;
const amqpUrl = (user: string, secret: string) => `amqp://${user}:${secret}@rabbitmq:5672`;

/** Not by `URL`: that of a replica set has several hosts. */
const passwordIn = (url: string) => decodeURIComponent(/^\w+:\/\/[^:@/]*:([^@/]*)@/.exec(url)?.[1] ?? '');

function write(folder: string, name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  rmSync(join(folder, name), { force: true });
  writeFileSync(join(folder, name), `${content}\n`, { mode: 0o444 });
}

/** Without characters that have a meaning in an address. */
function password(): string {
  return randomBytes(24).toString('base64url');
}
