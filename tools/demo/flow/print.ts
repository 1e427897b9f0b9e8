import type { Middleware } from '@app/api-client';

/** A step did not go as it should: the demo ends with exit code 1. */
export class DemoFailure extends Error {}

const dim = (text: string) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[0m` : text);
const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text);

let count = 0;
let isSilent = false;

export function step(title: string): void {
  console.log(`\n${bold(`${++count}. ${title}`)}`);
}

export function say(text: string): void {
  if (!isSilent) console.log(`   ${text}`);
}

/** @throws DemoFailure saying what was expected */
export function check(condition: boolean, expected: string): void {
  if (!condition) throw new DemoFailure(`expected: ${expected}`);
  say(`✓ ${expected}`);
}

/** Longer than the 30 s after which the platform tries again to match a waiting invoice. */
const waitMs = 45_000;

/** Polls without printing until the response satisfies the condition or time is up, then calls once more and prints it. */
export async function until<T>(call: () => Promise<T>, isDone: (response: T) => boolean): Promise<T> {
  const deadline = Date.now() + waitMs;
  isSilent = true;
  try {
    while (!isDone(await call()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  } finally {
    isSilent = false;
  }
  return call();
}

/** Prints each request and response. @throws DemoFailure unless the response is a success */
export const printed: Middleware = {
  async onRequest({ request }) {
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
    const body = isForm ? '(multipart form)' : short(await request.clone().text());
    say(`${dim('→')} ${request.method} ${request.url.replace(/api_key=\w+/, 'api_key=…')} ${dim(body)}`);
  },
  async onResponse({ request, response }) {
    const text = await response.clone().text();
    say(`${dim('←')} ${response.status} ${dim(short(text))}`);
    if (!response.ok) throw new DemoFailure(`${request.method} ${request.url} answered ${response.status}: ${text}`);
  },
};

/** The data of a call: `printed` throws for anything but a success. */
export async function ok<Answer extends { data?: unknown }>(
  call: Promise<Answer>,
): Promise<NonNullable<Answer['data']>> {
  return (await call).data as NonNullable<Answer['data']>;
}

function short(text: string): string {
  const shown = hideSecrets(text);
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}

const secretFields = [
  'password',
  'token',
  'secret',
  'apiKey',
  'api_key',
  'oauthClientSecret',
  'webhookSecret',
  'webhook_secret',
];

function hideSecrets(text: string): string {
  if (text === '') return '';
  return JSON.stringify(JSON.parse(text), (key, inner) => (secretFields.includes(key) ? '…' : inner));
}
