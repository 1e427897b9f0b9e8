import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Place, parseOptions, UsageError } from '@app/start/infra';
import { type ReceivedWebhook, startListener } from './listener.ts';

export const usage = `Usage: npm run demo -- listen [--port N] [--secret whsec_…] [--status N]

Receives webhooks on this machine over HTTPS, verifies each and prints it. It registers nothing: subscribe its address yourself,
then give it the secret that the answer shows, by --secret or by typing it in here. Ctrl-C ends it.

  --port N         where to listen (default 8443)
  --secret S       the secret of the endpoint; may be given several times
  --status N       the response to valid events (default 204); 500 shows how retries come`;

const options = {
  port: { type: 'string', default: '8443' },
  secret: { type: 'string', multiple: true, default: [] as string[] },
  status: { type: 'string', default: '204' },
} as const;

export async function run(args: string[], { stackDir }: Place): Promise<void> {
  const { values } = parseOptions(args, options);
  const secrets = [...values.secret];
  const { url } = await startListener({
    authorityDir: join(stackDir, 'tls'),
    port: wholeNumber('port', values.port, { from: 1, to: 65_535 }),
    status: wholeNumber('status', values.status, { from: 200, to: 599 }),
    secrets: () => secrets,
    onWebhook: print,
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new Error('This port is taken: choose another with --port.') : error;
  });
  console.log(`Listening at ${url}; the platform of \`npm start\` on this machine trusts its certificate.`);
  if (secrets.length === 0) {
    console.log(
      `Subscribe it (POST /webhooks/endpoints {name, url, events}), then type the secret from the answer in here.`,
    );
  }
  createInterface({ input: process.stdin }).on('line', (line) => addSecret(line.trim(), secrets));
}

function addSecret(line: string, secrets: string[]): void {
  if (line.startsWith('whsec_')) {
    secrets.push(line);
    console.log('From now on webhooks signed with it are verified.');
  } else if (line !== '') console.log('A secret begins with whsec_ and was shown when the endpoint was created.');
}

function print(webhook: ReceivedWebhook): void {
  const at = new Date().toISOString().slice(11, 23);
  if (webhook.valid) console.log(`\n${at} ✓ ${webhook.event.event}  delivery ${webhook.event.delivery}`);
  else console.log(`\n${at} ✗ ${webhook.reason}  delivery ${webhook.delivery}`);
  console.log(pretty(webhook.text));
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, 2_000);
  }
}

function wholeNumber(name: string, text: string, { from, to }: { from: number; to: number }): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new UsageError(`--${name} takes a whole number from ${from} to ${to}, not '${text}'.`);
}
