import { newId } from '@app/kernel';
import { type Collection, MongoClient } from 'mongodb';
import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/load/statistics.ts';
import { createCpuMeter } from '../harness/meters/cpu-meter.ts';
import { memoryOf } from '../harness/meters/processes.ts';
import { insertInBatches } from '../harness/platform/insert-in-batches.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { removeNamespace, startDispatcher } from './bench-dispatcher.ts';
import { openPublisher, type Publisher } from './event-publisher.ts';
import type { Receiver } from './receiver.ts';

const logged = 5;
const waitingEndpoints = 1_000;
const progressEvery = 200_000;
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
type Contender = { pid: number; publisher: Publisher; audience: string[]; perSecond: number[] };

/** A dispatcher with very many deliveries waiting for a retry and five times as many in the log, compared with an empty one. */
export async function webhookGrowth(bench: Bench, receiver: Receiver): Promise<void> {
  const client = await MongoClient.connect(bench.platform.mongodb);
  bench.onEnd(() => client.close());
  for (const namespace of ['bench-few-', 'bench-many-']) await removeNamespace(bench.platform, namespace);
  const few = await startContender(bench, receiver, 'bench-few-');
  await fill(bench, client.db('bench-many-webhook-dispatcher').collection<Record>('deliveries'));
  bench.progress('webhooks: building the indexes, and starting a dispatcher on them');
  const many = await startContender(bench, receiver, 'bench-many-');
  const meter = createCpuMeter({ pids: { few: few.pid, many: many.pid }, client });
  for (let round = 0; round <= Math.min(bench.rounds, 3); round++) {
    for (const side of [few, many]) {
      await meter.untilIdle();
      const perSecond = await measureSpeed(side, receiver);
      // The first round warms up and does not count.
      if (round > 0) side.perSecond.push(perSecond);
    }
  }
  const ratio = median(many.perSecond.map((perSecond, round) => perSecond / (few.perSecond[round] as number)));
  const memory = memoryOf(many.pid)?.peakMb ?? 0;
  const columns = [
    text('deliveries'),
    figure('deliveries/s'),
    figure('ratio'),
    figure('resident MB at most'),
    text('aims'),
  ];
  const row = (name: string, { perSecond, pid }: Contender, rest: string[]) => [
    name,
    count(median(perSecond)),
    rest[0] ?? '',
    decimals(memoryOf(pid)?.peakMb ?? 0, 0),
    rest[1] ?? '',
  ];
  const aims = `ratio ${againstAim(ratio, { least: 0.8 })}, memory ${againstAim(memory, { most: 200 }, 0)} MB`;
  const name = `${count(bench.million)} waiting, a log of ${count(logged * bench.million)}`;
  const rows = [row('none', few, []), row(name, many, [decimals(ratio, 2), aims])];
  bench.print(table('Webhooks: what waits and what is logged', columns, rows));
}

async function startContender(bench: Bench, receiver: Receiver, namespace: string): Promise<Contender> {
  const dispatcher = await startDispatcher(bench, namespace, receiver.certFile);
  bench.onEnd(() => removeNamespace(bench.platform, namespace));
  bench.onEnd(() => dispatcher.stop());
  const audience = [await dispatcher.createCompany([receiver.url('/growth')])];
  const publisher = await openPublisher(bench.platform.amqp, namespace);
  bench.onEnd(() => publisher.close());
  return { pid: dispatcher.pid, publisher, audience, perSecond: [] };
}

async function measureSpeed({ publisher, audience }: Contender, receiver: Receiver): Promise<number> {
  await receiver.takeArrivals();
  const started = performance.now();
  await publisher.burst(audience, events);
  await receiver.untilArrived(events, arriveWithinMs);
  return (1000 * events) / (performance.now() - started);
}

/** Writes deliveries of the last weeks as a dispatcher leaves them: one in six waits, the others arrived. */
async function fill(bench: Bench, deliveries: Collection<Record>): Promise<void> {
  const size = (logged + 1) * bench.million;
  const endpointIds = Array.from({ length: waitingEndpoints }, () => newId());
  const now = Date.now();
  const progress = (done: number) =>
    done % progressEvery === 0 && bench.progress(`webhooks: ${count(done)} of ${count(size)} deliveries`);
  await insertInBatches(size, progress, async (from, length) => {
    const batch = Array.from({ length }, (_, index) => {
      const number = from + index;
      const endpointId = endpointIds[number % waitingEndpoints] as string;
      const createdAt = new Date(now - (size - number) * 400);
      return number % (logged + 1) === 0 ? waiting(endpointId, createdAt) : arrived(endpointId, createdAt);
    });
    await deliveries.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } });
  });
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
