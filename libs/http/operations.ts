import type { IncomingMessage } from 'node:http';
import { gaugeOnScrape, metrics, withTimeout } from '@app/runtime';
import { type Listening, listen } from './server.ts';

/** Rejects while something that the service needs does not answer. */
export type ReadyCheck = () => Promise<unknown>;

/** Why a process is not ready, as a word for the metric and as a sentence. */
class NotReady extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The scrape waits for it: less than what reads a gauge may take. */
const scrapeTimeoutMs = 1_500;

/**
 * Whether a process can be sent requests: once it has started, until it drains, while every check passes. The broker is not among the
 * checks: without it writes still work, and their events wait in the outbox.
 */
export class Readiness {
  readonly #draining: AbortSignal;
  readonly #checks: [name: string, check: ReadyCheck][] = [];
  #waitsFor: string | null = 'it starts';

  constructor(draining: AbortSignal) {
    this.#draining = draining;
    gaugeOnScrape({
      name: 'ready',
      help: '1 while /readyz is 200, else 0 with the reason: starting, stopping, timeout, or what does not answer',
      labelNames: ['reason'],
      read: async () => {
        const reason = await this.#reason();
        return [{ labels: { reason: reason ?? '' }, value: reason === null ? 1 : 0 }];
      },
    });
  }

  /** @param checks - by the name of what they check */
  add(checks: Record<string, ReadyCheck>): void {
    this.#checks.push(...Object.entries(checks));
  }

  /** Says what the process is not ready for; null once it has started. */
  waitFor(what: string | null): void {
    this.#waitsFor = what;
  }

  /** @throws Error that says why it is not ready */
  async check(): Promise<void> {
    if (this.#draining.aborted) throw new NotReady('stopping', 'it stops');
    if (this.#waitsFor !== null) throw new NotReady('starting', this.#waitsFor);
    const checked = this.#checks.map(async ([name, check]) => {
      try {
        await check();
      } catch (error) {
        throw new NotReady(name, error instanceof Error ? error.message : 'unknown');
      }
    });
    await Promise.all(checked);
  }

  #reason(): Promise<string | null> {
    return withTimeout(this.check(), { ms: scrapeTimeoutMs, what: 'a readiness check' }).then(
      () => null,
      (error) => (error instanceof NotReady ? error.reason : 'timeout'),
    );
  }
}

type OpsOptions = {
  host: string;
  port: number;
  readiness: Readiness;
  /** For the readiness check, 5 s. */
  readyTimeoutMs?: number;
};

/** Serves `/healthz` (the process is alive), `/readyz` (it has started, is not about to stop, and what it needs answers) and `/metrics`. */
export function listenOps({ readiness, readyTimeoutMs = 5_000, ...options }: OpsOptions): Promise<Listening> {
  const respond = (req: IncomingMessage) =>
    respondOps(req.url ?? '/', async () =>
      withTimeout(readiness.check(), { ms: readyTimeoutMs, what: 'a readiness check' }),
    );
  return listen((req, res) => {
    respond(req).then(
      ({ status, type, body }) => res.writeHead(status, { 'content-type': type }).end(body),
      () => res.destroy(),
    );
  }, options);
}

async function respondOps(url: string, ready: ReadyCheck): Promise<{ status: number; type: string; body: string }> {
  const json = (status: number, body: object) => ({ status, type: 'application/json', body: JSON.stringify(body) });
  switch (url.split('?')[0]) {
    case '/healthz':
      return json(200, { status: 'alive' });
    case '/readyz':
      return ready().then(
        () => json(200, { status: 'ready' }),
        (error: unknown) =>
          json(503, { status: 'not ready', reason: error instanceof Error ? error.message : 'unknown' }),
      );
    case '/metrics':
      return { status: 200, type: metrics.contentType, body: await metrics.metrics() };
    default:
      return json(404, { error: 'use /healthz, /readyz or /metrics', code: 'not_found' });
  }
}
