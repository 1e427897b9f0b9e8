import { appendFileSync, createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const recordOf = (dir: string) => join(dir, 'secrets-of-tests.txt');
export const logOf = (dir: string) => join(dir, 'platform.log');

/** Fields of requests and answers that hold secrets. */
const isSecretField = /token|secret|password|apikey|api_key/i;
/** Shorter ones occur by chance. */
const minLength = 8;
const recorded = new Set<string>();

/** Remembers every secret of a request or answer, wherever in it, for the check of the platform's log when it stops. */
export function recordSecrets(dir: string, value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (isSecretField.test(field)) recordSecret(dir, value);
  } else if (Array.isArray(value)) {
    for (const item of value) recordSecrets(dir, item, field);
  } else if (value !== null && typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) recordSecrets(dir, inner, name);
  }
}

export function recordSecret(dir: string, secret: string): void {
  if (secret.length < minLength || secret.includes('\n') || recorded.has(secret)) return;
  recorded.add(secret);
  appendFileSync(recordOf(dir), `${secret}\n`);
}

/** What of a value a log must not hold: of `id:secret` the secret. */
const keysOf = (value: string) => value.split(',').map((key) => key.split(':').at(-1) as string);

/** The first log lines that hold a secret that a test used, or a key of the platform; at most ten, with the secret masked. */
export async function leaksIn(dir: string): Promise<string[]> {
  const used = existsSync(recordOf(dir)) ? readFileSync(recordOf(dir), 'utf8').split('\n').filter(Boolean) : [];
  const keys = JSON.parse(readFileSync(join(dir, 'keys.json'), 'utf8')) as Record<string, string>;
  const own = Object.entries(keys).flatMap(([name, value]) => (name.includes('PUBLIC') ? [] : keysOf(value)));
  const secrets = [...new Set([...used, ...own])];
  const leaks: string[] = [];
  for await (const line of createInterface({ input: createReadStream(logOf(dir)) })) {
    const secret = secrets.find((one) => line.includes(one));
    if (secret !== undefined) leaks.push(line.replaceAll(secret, `${secret.slice(0, 3)}…`));
    if (leaks.length === 10) break;
  }
  return leaks;
}
