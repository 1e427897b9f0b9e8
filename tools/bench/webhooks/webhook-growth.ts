import { newId } from '@app/kernel';
import type { Collection } from 'mongodb';
import type { Bench } from '../harness/bench.ts';
import { flushToDisk, insertInBatches, unordered } from '../harness/in-batches.ts';
import { residentMb, untilIdle } from '../harness/meters.ts';
import { median } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { createSubscriber, type Ends } from './subscribers.ts';

const logged = 5;
const waitingEndpoints = 1_000;
const events = 5_000;
const hourMs = 3_600_000;
const body = JSON.stringify({
  event: 'ticket.status_changed',
  created_at: '2026-11-21T08:00:00.000Z',
  data: {
    ticket: { id: 'a'.repeat(24), number: 'T-000001', title: 'Cold room too warm' },
    status: { from: 'opened', to: 'assigned' },
  },
});

type Delivery = { _id: string; endpointId: string; status: string; createdAt: Date; dueAt?: Date };

/** Deliveries/s beside very many that wait for a retry and five times as many in the log, compared with an empty log. */
export async function webhookGrowth(bench: Bench, ends: Ends): Promise<void> {
  const deliveries = bench.client.db('webhook-dispatcher').collection<Delivery>('deliveries');
  const audience = [await createSubscriber(bench, ends.receiver, ['/growth'])];
  await deliveries.deleteMany({});
  const alone = await measure(bench, ends, audience);
  await fill(bench, deliveries);
  const beside = await measure(bench, ends, audience);
  const ratio = beside.perSecond / alone.perSecond;
  const aims = `ratio ${againstAim(ratio, { least: 0.8 })}, memory ${againstAim(beside.mb, { most: 200 }, 0)} MB`;
  const rows = [
    ['none', count(alone.perSecond), '', decimals(alone.mb, 0), ''],
    [
      `${count(bench.million)} waiting, a log of ${count(logged * bench.million)}`,
      count(beside.perSecond),
      decimals(ratio, 2),
      decimals(beside.mb, 0),
      aims,
    ],
  ];
  const names = ['deliveries', 'deliveries/s', 'ratio', 'resident MB at most', 'aims'];
  printTable('Webhooks: what waits and what is logged', names, rows);
}

/** The median over the rounds, of which the first warms up and does not count, and the most memory that was seen. */
async function measure(bench: Bench, { publisher, receiver }: Ends, audience: string[]) {
  const pid = bench.platform.pids['webhook-dispatcher'] as number;
  const perSecond: number[] = [];
  const mb: number[] = [];
  for (let round = 0; round <= Math.min(bench.rounds, 3); round++) {
    await untilIdle(bench, [pid]);
    await receiver.takeArrivals(0);
    const started = performance.timeOrigin + performance.now();
    await publisher.burst(audience, events);
    const { at } = await receiver.takeArrivals(events);
    mb.push(residentMb(pid));
    if (round > 0) perSecond.push((1000 * events) / ((at.at(-1) as number) - started));
  }
  return { perSecond: median(perSecond), mb: Math.max(...mb) };
}

/** Writes deliveries of the last weeks as a dispatcher leaves them: one in six waits, the others arrived. */
async function fill({ client, million, progress }: Bench, deliveries: Collection<Delivery>): Promise<void> {
  const size = (logged + 1) * million;
  const endpointIds = Array.from({ length: waitingEndpoints }, () => newId());
  const now = Date.now();
  await insertInBatches({ size, what: 'deliveries', progress }, async (from, length) => {
    const batch = Array.from({ length }, (_, index) => {
      const number = from + index;
      const endpointId = endpointIds[number % waitingEndpoints] as string;
      const createdAt = new Date(now - (size - number) * 400);
      return number % (logged + 1) === 0 ? waiting(endpointId, createdAt) : arrived(endpointId, createdAt);
    });
    await deliveries.insertMany(batch, unordered);
  });
  await flushToDisk(client);
}

function arrived(endpointId: string, createdAt: Date) {
  const attempt = { at: createdAt, statusCode: 200, durationMs: 12, error: null, responseBody: '' };
  return { ...common(endpointId, createdAt), status: 'succeeded', attempts: [attempt], nextAttemptAt: null };
}

function waiting(endpointId: string, createdAt: Date) {
  const attempt = { at: createdAt, statusCode: 503, durationMs: 12, error: 'status_not_2xx', responseBody: 'later' };
  const nextAttemptAt = new Date(Date.now() + 12 * hourMs);
  return {
    ...common(endpointId, createdAt),
    status: 'failed',
    attempts: [attempt],
    nextAttemptAt,
    dueAt: nextAttemptAt,
  };
}

function common(endpointId: string, createdAt: Date) {
  return { _id: newId(createdAt), endpointId, event: 'ticket.status_changed', body, tries: 1, createdAt };
}
