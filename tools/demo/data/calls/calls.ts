import { setTimeout as sleep } from 'node:timers/promises';

export type Answer = { data?: unknown; error?: unknown; response: Response };
export type Data<A extends Answer> = NonNullable<A['data']>;

/** A call that the platform refused, or did not answer for long. */
export class CallFailed extends Error {
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

const triesForMs = 60_000;
const waitsForMs = 180_000;
const pauseMs = 500;
const passing = [429, 502, 503, 504];

/**
 * Makes a call as an integrator should (docs/api.md): again after a limit, an outage or a lost answer. Every POST has an
 * idempotency key, so that repeating is safe.
 * @throws CallFailed
 */
export async function ok<A extends Answer>(call: () => Promise<A>, signal?: AbortSignal): Promise<Data<A>> {
  const deadline = Date.now() + triesForMs;
  for (;;) {
    signal?.throwIfAborted();
    const outcome = await call().catch((error: unknown) => error as Error);
    if (outcome instanceof Error) {
      if (Date.now() > deadline) throw new CallFailed(`no answer: ${outcome.message}`, null);
    } else {
      const { response, data, error } = outcome;
      if (response.ok) return data as Data<A>;
      const isPassing = passing.includes(response.status) || codeOf(error) === 'idempotency_key_in_progress';
      if (!isPassing || Date.now() > deadline) throw new CallFailed(sentenceOf(response, error), response.status);
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 0), undefined, { signal });
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Reads until it is as wanted. @throws CallFailed after three minutes, naming what was waited for */
export async function until<T>(what: string, read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + waitsForMs;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new CallFailed(`waited in vain until ${what}`, null);
    await sleep(pauseMs);
  }
}

/** Runs `work` on every item, `limit` at a time, in order. @throws the first failure, once the others have ended */
export async function eachOf<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failed = false;
  const run = async () => {
    for (const item of left) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: limit }, run));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function sentenceOf({ status, url }: Response, error: unknown): string {
  return `${new URL(url).pathname} answered ${status}: ${JSON.stringify(error)}`;
}
