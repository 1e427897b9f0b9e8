import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeys } from '@app/start';

/** Settings that are unset until somebody enters a value. */
const mayBeEmpty = [
  ...['SMTP_URL', 'STORAGE_URL', 'WEBHOOK_PROXY_URL', 'RATE_LIMIT_STORE_URL', 'OTEL_EXPORTER_OTLP_HEADERS'],
  'PLATFORM_ADMIN_TOKEN_PREVIOUS',
];

/**
 * Writes the secrets of `docker-compose.yml` into a folder that only its owner can enter, a file each. What is there stays. The files themselves are readable, since
 * a container sees them with their mode here, and its user is another.
 * @returns the names of the files that are new
 */
export function makeSecrets(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = (name: string, fallback: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : fallback;
  // The two halves of a pair are made together.
  const keys = makeKeys();
  const pair = ['INTERNAL_TOKEN_PRIVATE_KEY', 'INTERNAL_TOKEN_PUBLIC_KEYS'];
  const halves = pair.filter((name) => existsSync(join(folder, name)));
  if (halves.length === 1)
    throw new Error(`${folder} has ${halves[0]} without its other half: add ${pair.find((one) => one !== halves[0])}`);
  const mongodb = kept('mongodb-password', password());
  const rabbitmq = kept('rabbitmq-password', password());
  const secrets: Record<string, string> = {
    ...keys,
    'mongodb-password': mongodb,
    // Members of a replica set know each other by it; base64 alone is allowed in it.
    'mongodb-keyfile': randomBytes(512).toString('base64'),
    'rabbitmq-password': rabbitmq,
    'rabbitmq.conf': `default_user = platform\ndefault_pass = ${rabbitmq}`,
    MONGODB_URL: `mongodb://platform:${mongodb}@mongodb:27017/?replicaSet=rs0&authSource=admin`,
    AMQP_URL: `amqp://platform:${rabbitmq}@rabbitmq:5672`,
    'grafana-password': password(),
    ...Object.fromEntries(mayBeEmpty.map((name) => [name, ''])),
  };
  const missing = Object.entries(secrets).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, value] of missing) writeFileSync(join(folder, name), `${value}\n`, { mode: 0o444, flag: 'wx' });
  return missing.map(([name]) => name);
}

/** Without characters that have a meaning in an address. */
function password(): string {
  return randomBytes(24).toString('base64url');
}
