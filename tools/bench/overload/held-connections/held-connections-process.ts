import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Answers } from '../answers.ts';
import { reportTo } from '../load-process.ts';
import type { HeldResult, HeldRun } from './held-connections.ts';

/**
 * Holds connections open that send nothing, or one byte a second of a head or a body. One that the
 * platform ends is opened again, as an attacker would do.
 */

const openAtOnce = 50;
const openEveryMs = 20;
/** One byte a second for each: in every turn the next tenth of them sends one. */
const dripEveryMs = 100;
const dripTurns = 10;
const reopenAfterMs = 200;
const lookEveryMs = 250;
const openWithinMs = 60_000;
const beyondTries = 200;
const beyondEveryMs = 25;
const beyondWithinMs = 5_000;

/** Silent, a head that never ends, a body that never ends. */
const beginnings = [
  { port: 'ticket', text: '' },
  { port: 'ticket', text: 'GET /api/v3.0/tickets HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ' },
  {
    port: 'ts',
    text: 'POST /webhooks/invoice-providers/sandbox HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
  },
] as const;

type Held = { index: number; socket: Socket | null };

reportTo<HeldRun, HeldResult>(async (run, stop) => {
  const held = Array.from({ length: run.count }, (_, index): Held => ({ index, socket: null }));
  const ended: Record<string, number> = {};
  const timers = [setInterval(drip(held), dripEveryMs)];
  for (let first = 0; first < held.length; first += openAtOnce) {
    for (const one of held.slice(first, first + openAtOnce)) open(one, run, ended);
    await pause(openEveryMs);
  }
  await untilOpen(held);
  const from = Date.now();
  const counts: number[] = [];
  timers.push(setInterval(() => counts.push(openOf(held)), lookEveryMs));
  const beyond = await goBeyond(run);
  while (Date.now() < from + run.durationMs && !stop.aborted) await pause(lookEveryMs);
  for (const timer of timers) clearInterval(timer);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return { from, until: Date.now(), open: { least: Math.min(...counts), mean }, ended: { ...ended }, beyond };
});

const isOpen = (socket: Socket | null) => socket?.readyState === 'open';

function openOf(held: readonly Held[]): number {
  return held.filter(({ socket }) => isOpen(socket)).length;
}

/**
 * A busy platform may not accept all of them in time: the run goes on with those that are open, and
 * the report says how many.
 */
async function untilOpen(held: readonly Held[]): Promise<void> {
  const deadline = Date.now() + openWithinMs;
  // Some of them always have just been ended, and are about to be opened again.
  while (openOf(held) < 0.98 * held.length && Date.now() < deadline) await pause(lookEveryMs);
}

function beginningOf({ index }: Held) {
  return beginnings[index % beginnings.length] as (typeof beginnings)[number];
}

function open(one: Held, run: HeldRun, ended: Record<string, number>): void {
  const { port, text } = beginningOf(one);
  const localAddress = run.addresses[one.index % run.addresses.length] as string;
  const socket = connect({ host: '127.0.0.1', port: run.ports[port], localAddress });
  one.socket = socket;
  let answer = 'cut';
  socket.once('connect', () => text !== '' && socket.write(text));
  socket.on('data', (data) => {
    if (answer === 'cut') answer = data.toString('latin1', 9, 12);
  });
  socket.on('end', () => socket.destroy());
  socket.on('error', () => undefined);
  socket.once('close', () => {
    ended[answer] = (ended[answer] ?? 0) + 1;
    setTimeout(() => open(one, run, ended), reopenAfterMs);
  });
}

function drip(held: readonly Held[]): () => void {
  let turn = 0;
  return () => {
    turn = (turn + 1) % dripTurns;
    for (let at = turn; at < held.length; at += dripTurns) {
      const one = held[at] as Held;
      if (beginningOf(one).text !== '' && isOpen(one.socket)) one.socket?.write('a');
    }
  };
}

/**
 * Opens more connections from an address that has all it may have: each should be refused at once.
 */
async function goBeyond({ ports, addresses }: HeldRun): Promise<HeldResult['beyond']> {
  const answers = new Answers();
  const asked: Promise<void>[] = [];
  for (let n = 0; n < beyondTries; n += 1) {
    asked.push(
      ask(ports.ticket, addresses[0] as string).then(({ status, hasRetryAfter, ms }) =>
        answers.add({ at: 0, status, hasRetryAfter, ms }),
      ),
    );
    await pause(beyondEveryMs);
  }
  await Promise.all(asked);
  const kinds = Object.entries(answers.kinds()).map(([kind, { count }]) => [kind, count] as const);
  return { kinds: Object.fromEntries(kinds), times: answers.refusals() };
}

function ask(port: number, localAddress: string): Promise<{ status: number; hasRetryAfter: boolean; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    let head = '';
    let ms = 0;
    const timer = setTimeout(() => socket.destroy(), beyondWithinMs);
    socket.once('connect', () =>
      socket.write('GET /api/v3.0/tickets HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'),
    );
    socket.on('data', (data) => {
      if (head === '') ms = performance.now() - startedAt;
      head += data.toString('latin1');
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ status: Number(head.slice(9, 12)) || 0, hasRetryAfter: head.includes('\r\nRetry-After: '), ms });
    });
  });
}
