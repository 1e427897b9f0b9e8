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
export function check(holds: boolean, expected: string): void {
  if (!holds) throw new DemoFailure(`expected: ${expected}`);
  say(`✓ ${expected}`);
}

/** Longer than the 30 s after which the platform looks again for the ticket of what waits. */
const waitMs = 45_000;

/** Asks unseen until what is answered holds, for a while, and then once more for all to see. */
export async function until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + waitMs;
  isSilent = true;
  try {
    while (!holds(await ask()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  } finally {
    isSilent = false;
  }
  return ask();
}

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };
export type Api = (line: string, body?: unknown) => Promise<Answer>;

/** Calls an API and shows each request with its answer. @throws DemoFailure where the answer is no success */
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
    const answer = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    say(`${dim('←')} ${response.status} ${dim(short(hideSecrets(answer)))}`);
    if (!response.ok) throw new DemoFailure(`${line} answered ${response.status}: ${text}`);
    return { status: response.status, body: answer, headers: response.headers };
  };
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

const secretFields = ['password', 'token', 'secret', 'apiKey', 'api_key', 'webhookSecret', 'webhook_secret'];

function hideSecrets(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (secretFields.includes(key) ? '…' : inner));
}
