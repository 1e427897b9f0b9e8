import { connect, type Socket } from 'node:net';
import { createResponseReader } from './response-reader.ts';
import { quantile, type Sample } from './statistics.ts';

/** Longer than any service may take: then something hangs. */
const answerWithinMs = 60_000;

let numbers = 0;

/** In a request this placeholder is replaced by a number that no other request has. */
export const uniqueNumber = '##########';

/**
 * A whole HTTP/1.1 request, written out before the measurement, and the status of its answer if it succeeds. `numberAt`: offset of
 * its unique number, or -1.
 */
export type PreparedRequest = { bytes: Buffer; status: number; numberAt: number };

export type LoadRun = {
  port: number;
  connections: number;
  durationMs: number;
  /** Each connection goes round in one of the lists, each starting elsewhere in it. */
  lists: PreparedRequest[][];
  /** How many requests belong together (finish, reopen); a round ends only after a whole unit. */
  unit: number;
};

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
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${json}`);
  return { bytes, status, numberAt: bytes.indexOf(uniqueNumber) };
}

/** Sends requests as fast as they are answered, one at a time on each connection. Rejects at the first unexpected status. */
export async function runLoad(run: LoadRun): Promise<Sample> {
  const sockets = await Promise.all(Array.from({ length: run.connections }, () => open(run.port)));
  const started = performance.now();
  const deadline = started + run.durationMs;
  const all = await Promise.all(
    sockets.map((socket, index) => {
      const list = run.lists[index % run.lists.length] as PreparedRequest[];
      const steps = list.length / run.unit;
      const first = Math.floor((steps * index) / sockets.length) * run.unit;
      return use(socket, { list, first, unit: run.unit, deadline });
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  const times = Float64Array.from(all.flat()).sort();
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/** The bytes of a request with a number that no other one has. */
function numbered({ bytes, numberAt }: PreparedRequest): Buffer {
  if (numberAt === -1) return bytes;
  numbers += 1;
  const own = Buffer.from(bytes);
  own.write(String(numbers).padStart(uniqueNumber.length, '0'), numberAt, 'latin1');
  return own;
}

function open(port: number): Promise<Socket> {
  return new Promise((opened, failed) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('error', failed);
    socket.once('connect', () => opened(socket));
  });
}

type Turn = { list: PreparedRequest[]; first: number; unit: number; deadline: number };

/** Sends one request after another until the deadline and the end of a unit. @returns the milliseconds of each */
function use(socket: Socket, { list, first, unit, deadline }: Turn): Promise<number[]> {
  return new Promise((done, failed) => {
    const times: number[] = [];
    let next = first;
    let sentAt = 0;
    const current = () => list[next % list.length] as PreparedRequest;
    const send = () => {
      sentAt = performance.now();
      socket.write(numbered(current()));
    };
    const read = createResponseReader(({ status, head }) => {
      const now = performance.now();
      times.push(now - sentAt);
      if (status !== current().status) return failed(unexpected(current(), head));
      next += 1;
      if (now >= deadline && (next - first) % unit === 0) return done(times);
      return send();
    });
    socket.on('data', (data) => {
      try {
        read(data);
      } catch (error) {
        failed(error);
      }
    });
    socket.once('close', () => failed(new Error(`${lineOf(current())}: the server closed the connection`)));
    socket.setTimeout(answerWithinMs, () => {
      failed(new Error(`${lineOf(current())}: no answer within ${answerWithinMs / 1000} s`));
    });
    send();
  });
}

function unexpected(ready: PreparedRequest, head: Buffer): Error {
  return new Error(`${lineOf(ready)}: expected ${ready.status}, got ${head.toString('latin1', 0, 300)}`);
}

function lineOf({ bytes }: PreparedRequest): string {
  return bytes.toString('latin1', 0, bytes.indexOf('\r\n'));
}
