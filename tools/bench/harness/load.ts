import { join } from 'node:path';
import type { Sample } from './statistics.ts';
import { startWorker } from './worker.ts';

/** In a request this placeholder is replaced by a number that no other request has. */
export const uniqueNumber = '##########';

/** A whole HTTP/1.1 request, and the status of its answer if it succeeds. */
export type PreparedRequest = { text: string; status: number };

export type LoadRun = {
  port: number;
  connections: number;
  durationMs: number;
  /** Each connection goes round in one of the lists, each starting elsewhere in it. */
  lists: PreparedRequest[][];
  /** How many requests belong together (finish, reopen); a round ends only after a whole unit. */
  unit: number;
};

export type Load = {
  /** Requests as fast as they are answered, one at a time on each connection. Rejects at the first unexpected status. */
  run(run: LoadRun): Promise<Sample>;
  close(): Promise<void>;
};

/** Sends the requests from a thread of its own. */
export function startLoad(): Load {
  const worker = startWorker(join(import.meta.dirname, 'load-worker.ts'), null);
  return { run: async (run) => (await worker.ask(run)) as Sample, close: worker.close };
}

type Plain = { method?: string; path: string; token?: string; body?: object; status?: number };

/** Writes a request out; without `status`, 200 is expected. */
export function prepareRequest({ method = 'GET', path, token, body, status = 200 }: Plain): PreparedRequest {
  const json = body ? JSON.stringify(body) : '';
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(body ? ['Content-Type: application/json'] : []),
    ...(json ? [`Content-Length: ${Buffer.byteLength(json)}`] : []),
  ];
  return { text: `${lines.join('\r\n')}\r\n\r\n${json}`, status };
}
