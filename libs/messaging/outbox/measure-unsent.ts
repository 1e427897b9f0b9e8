import type { DomainEvent } from '@app/contracts';
import { collectionOf, localRead } from '@app/runtime';
import type { Model } from 'mongoose';
import { Gauge } from 'prom-client';
import type { WithOutbox } from './outbox.ts';

const oldestUnsent = new Gauge({
  name: 'outbox_oldest_unsent_seconds',
  help: 'Age of the oldest event that is not with the broker yet, as the sweep sees it; 0: none is late',
  labelNames: ['model'] as const,
});

const unsentDocuments = new Gauge({
  name: 'outbox_unsent_documents',
  help: 'Documents with events that are not with the broker after 3 s, as the sweep sees them; at most 10,000',
  labelNames: ['model'] as const,
});

const countedAtMost = 10_000;

type Look = { before: Date; now: Date; batchSize: number };

/** @param unsent the first batch of what waits since `before` */
export async function measureUnsent(
  model: Model<WithOutbox & { _id: string }>,
  unsent: { events: DomainEvent[] }[],
  { before, now, batchSize }: Look,
): Promise<void> {
  const late = { 'outbox.time': { $lt: before.toISOString() } };
  const count = () => collectionOf(model).countDocuments(late, { hint: 'outbox', limit: countedAtMost, ...localRead });
  const documents = unsent.length < batchSize ? unsent.length : await count();
  const since = unsent[0]?.events[0]?.time;
  const labels = { model: model.modelName };
  oldestUnsent.set(labels, since === undefined ? 0 : (now.getTime() - Date.parse(since)) / 1000);
  unsentDocuments.set(labels, documents);
}
