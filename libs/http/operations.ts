import type { IncomingMessage } from 'node:http';
import { metrics, withTimeout } from '@app/runtime';
import { type Listening, listen } from './server.ts';

/** Rejects while something that the service needs does not answer. */
export type ReadyCheck = () => Promise<unknown>;

/** Whether a process can be sent requests: once it has started, until it drains, while every check passes. */
export class Readiness {
  readonly #draining: AbortSignal;
  readonly #checks: ReadyCheck[] = [];
  #waitsFor: string | null = 'it starts';

  constructor(draining: AbortSignal) {
    this.#draining = draining;
  }

  add(...checks: ReadyCheck[]): void {
    this.#checks.push(...checks);
  }

  /** Says what the process is not ready for; null once it has started. */
  waitFor(what: string | null): void {
    this.#waitsFor = what;
  }

  /** @throws Error that says why it is not ready */
  async check(): Promise<void> {
    if (this.#draining.aborted) throw new Error('it stops');
    if (this.#waitsFor !== null) throw new Error(this.#waitsFor);
    await Promise.all(this.#checks.map((check) => check()));
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
