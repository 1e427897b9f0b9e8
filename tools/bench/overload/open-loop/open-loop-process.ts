import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../harness/load/statistics.ts';
import { type Answer, Answers } from '../answers.ts';
import { reportTo } from '../load-process.ts';
import { AddressClient } from './address-client.ts';
import { dueBy, turnsOf } from './arrivals.ts';
import type { OpenLoopResult, OpenLoopRun } from './open-loop.ts';

/**
 * Sends requests when they are due, whatever becomes of those before (an open loop): callers do not wait for each other. The time
 * of a request runs from the moment the generator took it up, its wait for a connection included.
 */

const tickMs = 5;
const lookEveryMs = 1_000;

reportTo<OpenLoopRun, OpenLoopResult>(async (run, stop) => {
  const answers = new Answers();
  const kept: Answer[] = [];
  const take = (answer: Answer) => {
    answers.add(answer);
    if (run.keepAnswers) kept.push(answer);
  };
  const addresses = [...new Set(run.callers.map(({ address }) => address))];
  const limits = { port: run.port, maxConnections: run.maxConnectionsPerAddress };
  const clients = new Map(addresses.map((address) => [address, new AddressClient({ ...limits, address, take })]));
  const all = [...clients.values()];
  const sweep = setInterval(() => {
    for (const client of all) client.giveUpLate();
  }, lookEveryMs);
  const { asked, seconds, late } = await sendAll(run, stop, clients);
  while (all.some(({ pending }) => pending > 0)) await pause(50);
  clearInterval(sweep);
  const connections = all.reduce((sum, { most }) => sum + most, 0);
  for (const client of all) client.close();
  return {
    ...{ asked, perSecond: asked / seconds, kinds: answers.kinds(), refusals: answers.refusals() },
    ...{ late: latenessOf(late), connections, answers: kept },
  };
});

type Sent = { asked: number; seconds: number; late: number[] };

/** Resolves once the time is over. */
function sendAll(
  { callers, durationMs }: OpenLoopRun,
  stop: AbortSignal,
  clients: ReadonlyMap<string, AddressClient>,
): Promise<Sent> {
  const turns = turnsOf(callers.map(({ perSecond }) => perSecond));
  const perSecond = callers.reduce((sum, caller) => sum + caller.perSecond, 0);
  const ready = callers.map(({ address, requests }) => ({
    client: clients.get(address) as AddressClient,
    requests: requests.map((text) => Buffer.from(text)),
    next: 0,
  }));
  const late: number[] = [];
  const startedAt = performance.now();
  let asked = 0;

  function sendDue(): void {
    const now = performance.now();
    const { count, lateMs } = dueBy(now - startedAt, perSecond, asked);
    if (count > 0) late.push(lateMs);
    for (let n = 0; n < count; n += 1) {
      const caller = ready[turns[asked % turns.length] as number] as (typeof ready)[number];
      caller.client.send(caller.requests[caller.next % caller.requests.length] as Buffer, now);
      caller.next += 1;
      asked += 1;
    }
  }

  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      if (!stop.aborted && (durationMs === null || elapsed < durationMs)) return sendDue();
      clearInterval(timer);
      resolve({ asked, seconds: elapsed / 1000, late });
    }, tickMs);
  });
}

function latenessOf(late: readonly number[]): OpenLoopResult['late'] {
  const sorted = Float64Array.from(late.length === 0 ? [0] : late).sort();
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  return { count: sorted.length, p50, p99, most: sorted.at(-1) as number };
}
