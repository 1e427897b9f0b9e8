import { connect, type Socket } from 'node:net';
import { type LoadRun, type PreparedRequest, uniqueNumber } from './load.ts';
import { createResponseReader } from './response-reader.ts';
import { quantile, type Sample } from './statistics.ts';
import { answerCommands } from './worker.ts';

/** Longer than any service may take: then something hangs. */
const answerWithinMs = 60_000;

/** A request as bytes, prepared before the measurement. `numberAt`: offset of its unique number, or -1. */
type Ready = { bytes: Buffer; status: number; numberAt: number };

let numbers = 0;

answerCommands(measure);

async function measure(run: LoadRun): Promise<Sample> {
  const ready = new Map(run.lists.map((list) => [list, list.map(readied)]));
  const sockets = await Promise.all(Array.from({ length: run.connections }, () => open(run.port)));
  const started = performance.now();
  const deadline = started + run.durationMs;
  const all = await Promise.all(
    sockets.map((socket, index) => {
      const list = ready.get(run.lists[index % run.lists.length] ?? []) as Ready[];
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

function readied({ text, status }: PreparedRequest): Ready {
  const bytes = Buffer.from(text);
  return { bytes, status, numberAt: bytes.indexOf(uniqueNumber) };
}

/** The bytes of a request with a number that no other request of this thread has. */
function numbered({ bytes, numberAt }: Ready): Buffer {
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

type Turn = { list: Ready[]; first: number; unit: number; deadline: number };

/** Sends one request after another until the deadline and the end of a unit. @returns the milliseconds of each */
function use(socket: Socket, { list, first, unit, deadline }: Turn): Promise<number[]> {
  return new Promise((done, failed) => {
    const times: number[] = [];
    let next = first;
    let sentAt = 0;
    const current = () => list[next % list.length] as Ready;
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

function unexpected(ready: Ready, head: Buffer): Error {
  return new Error(`${lineOf(ready)}: expected ${ready.status}, got ${head.toString('latin1', 0, 300)}`);
}

function lineOf({ bytes }: Ready): string {
  return bytes.toString('latin1', 0, bytes.indexOf('\r\n'));
}
