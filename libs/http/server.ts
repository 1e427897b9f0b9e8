import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listening = { port: number; close(): Promise<void> };

type ListenOptions = {
  host: string;
  port: number;
  requestTimeoutMs?: number;
  /** Once aborted, each response ends its connection, so that callers move to another replica. */
  draining?: AbortSignal;
};

/**
 * Listens (port 0: any free one). `close` accepts no more connections, waits for running requests for at most 10 s and then cuts
 * them.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { draining, requestTimeoutMs = 300_000 } = options;
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: requestTimeoutMs }, (req, res) => {
    if (draining?.aborted) res.shouldKeepAlive = false;
    handler(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

const closeWithinMs = 10_000;

/** Accepts no more connections, waits for running requests for at most 10 s and then cuts them. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutTimer = setTimeout(() => server.closeAllConnections(), closeWithinMs);
    // Node closes connections that are idle now. One whose last request ends only now would stay open until it is cut.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cutTimer);
      clearInterval(sweep);
      resolve();
    });
  });
}
