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

export type ApiResponse = { status: number; body: Record<string, unknown>; headers: Headers };
export type Api = (line: string, body?: unknown) => Promise<ApiResponse>;

/** Calls an API and prints each request and response. @throws DemoFailure unless the response is a success */
export function api(base: string, token: string): Api {
  return async (line, body) => {
    const [method = 'GET', path = '/'] = line.split(' ');
    const form = body instanceof FormData;
    const shown = body === undefined ? '' : form ? ' (multipart form)' : ` ${short(hideSecrets(body))}`;
    say(`${dim('→')} ${method} ${base}${path.replace(/api_key=\w+/, 'api_key=…')}${dim(shown)}`);
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    say(`${dim('←')} ${response.status} ${dim(short(hideSecrets(parsed)))}`);
    if (!response.ok) throw new DemoFailure(`${line} answered ${response.status}: ${text}`);
    return { status: response.status, body: parsed, headers: response.headers };
  };
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

const secretFields = ['password', 'token', 'secret', 'apiKey', 'api_key', 'webhookSecret', 'webhook_secret'];

function hideSecrets(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (secretFields.includes(key) ? '…' : inner));
}
