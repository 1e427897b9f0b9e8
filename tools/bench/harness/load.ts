import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Sample } from './statistics.ts';

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

/** Sends the requests from a worker thread. */
export function startLoad(): Load {
  const worker = new Worker(join(import.meta.dirname, 'load-worker.ts'));
  const waiting = new Map<number, { done: (sample: Sample) => void; failed: (error: Error) => void }>();
  let ids = 0;
  worker.on('message', ({ id, sample, failure }: { id: number; sample?: Sample; failure?: string }) => {
    const { done, failed } = waiting.get(id) as NonNullable<ReturnType<typeof waiting.get>>;
    waiting.delete(id);
    if (sample) done(sample);
    else failed(new Error(failure));
  });
  worker.on('error', (error) => {
    for (const { failed } of waiting.values()) failed(error as Error);
  });
  return {
    run(run) {
      const id = ++ids;
      return new Promise((done, failed) => {
        waiting.set(id, { done, failed });
        worker.postMessage({ id, run });
      });
    },
    async close() {
      await worker.terminate();
    },
  };
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
