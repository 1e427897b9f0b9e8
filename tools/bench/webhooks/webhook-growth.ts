import { newId } from '@app/kernel';
import { markEmptyDatabase } from '@app/service/migrations';
import type { Bench } from '../harness/bench.ts';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import { createCpuMeter, peakMbOf } from '../harness/meters.ts';
import { median } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { startDispatcher } from './own-dispatcher.ts';
import type { Receiver } from './receiver.ts';

const logged = 5;
const waitingEndpoints = 1_000;
const events = 5_000;
const hourMs = 3_600_000;
const arriveWithinMs = 5 * 60_000;
const body = JSON.stringify({
  event: 'ticket.status_changed',
  created_at: '2026-11-21T08:00:00.000Z',
  data: {
    ticket: { id: 'a'.repeat(24), number: 'T-000001', title: 'Cold room too warm' },
    status: { from: 'opened', to: 'assigned' },
  },
});

type Record = { _id: string; endpointId: string; status: string; createdAt: Date; dueAt?: Date };

/** A dispatcher with very many deliveries waiting for a retry and five times as many in the log, compared with an empty one. */
export async function webhookGrowth(bench: Bench, receiver: Receiver): Promise<void> {
  const few = await startDispatcher(bench, receiver, 'bench-few-');
  const many = await startDispatcher(bench, receiver, 'bench-many-', () => fill(bench, 'bench-many-'));
  const sides: { pid: number; run: () => Promise<number>; perSecond: number[] }[] = [];
  for (const { pid, publisher, createCompany } of [few, many]) {
    const audience = [await createCompany(['/growth'])];
    const run = async () => {
      await receiver.takeArrivals(0, arriveWithinMs);
      const started = performance.now();
      await publisher.burst(audience, events);
      await receiver.takeArrivals(events, arriveWithinMs);
      return (1000 * events) / (performance.now() - started);
    };
    sides.push({ pid, run, perSecond: [] });
  }
  const meter = createCpuMeter(bench, { few: few.pid, many: many.pid });
  for (let round = 0; round <= Math.min(bench.rounds, 3); round++) {
    for (const { run, perSecond } of sides) {
      await meter.untilIdle();
      const reached = await run();
      // The first round warms up and does not count.
      if (round > 0) perSecond.push(reached);
    }
  }
  const [alone, beside] = sides.map(({ perSecond }) => perSecond) as [number[], number[]];
  const ratio = median(beside.map((perSecond, round) => perSecond / (alone[round] as number)));
  const memory = peakMbOf(many.pid);
  const columns = [
    text('deliveries'),
    figure('deliveries/s'),
    figure('ratio'),
    figure('resident MB at most'),
    text('aims'),
  ];
  const aims = `ratio ${againstAim(ratio, { least: 0.8 })}, memory ${againstAim(memory, { most: 200 }, 0)} MB`;
  const name = `${count(bench.million)} waiting, a log of ${count(logged * bench.million)}`;
  const rows = [
    ['none', count(median(alone)), '', decimals(peakMbOf(few.pid), 0), ''],
    [name, count(median(beside)), decimals(ratio, 2), decimals(memory, 0), aims],
  ];
  bench.print(table('Webhooks: what waits and what is logged', columns, rows));
}

/** Writes deliveries of the last weeks as a dispatcher leaves them: one in six waits, the others arrived. */
async function fill({ client, million, progress }: Bench, namespace: string): Promise<void> {
  const database = client.db(`${namespace}webhook-dispatcher`);
  await markEmptyDatabase(database);
  const deliveries = database.collection<Record>('deliveries');
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
  progress('webhooks: building the indexes, and starting a dispatcher on them');
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
