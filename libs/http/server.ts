import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metrics, withTimeout } from '@app/runtime';

export type Listening = { port: number; close(): Promise<void> };

type ListenOptions = { host: string; port: number; requestTimeoutMs?: number };

/**
 * Listens (port 0: any free one). `close` accepts no more connections, waits for running requests for at most 10 s and then cuts
 * them.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const server = createServer(
    { keepAliveTimeout: 65_000, requestTimeout: options.requestTimeoutMs ?? 300_000 },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutTimer = setTimeout(() => server.closeAllConnections(), 10_000);
    // A connection whose last request ends only now would otherwise stay open until it is cut.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cutTimer);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Rejects while something that the service needs does not answer. */
export type ReadyCheck = () => Promise<unknown>;

type OpsOptions = {
  host: string;
  port: number;
  ready: ReadyCheck;
  /** For the readiness check, 5 s. */
  readyTimeoutMs?: number;
};

/** Serves `/healthz` (the process is alive), `/readyz` (what it needs answers) and `/metrics`. */
export function listenOps({ ready, readyTimeoutMs = 5_000, ...options }: OpsOptions): Promise<Listening> {
  const respond = (req: IncomingMessage) =>
    respondOps(req.url ?? '/', async () => withTimeout(ready(), { ms: readyTimeoutMs, what: 'a readiness check' }));
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
