import { AppError } from '@app/kernel';
import { documentSchema, isDuplicateKey, modelOf } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import { claimNextDue, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { Redelivery } from './redelivery.ts';

/** A processed page. `next` is null if it was the last one. */
type Page = { found: number; queued: number; next: string | null };

export type RedeliveryStore = ReturnType<typeof createRedeliveryStore>;

/** `dueAt`: when the job is to be continued; absent once it has ended. */
type Record = Omit<Redelivery, 'id'> & { _id: string; dueAt?: Date; lease?: string };

const retentionSeconds = 90 * 24 * 3600;

const schema = documentSchema<Record>('redeliveries');
schema.index({ createdAt: 1 }, { expireAfterSeconds: retentionSeconds, name: 'kept' });
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } }, name: 'due' });
schema.index(
  { endpointId: 1 },
  { unique: true, partialFilterExpression: { dueAt: { $exists: true } }, name: 'oneThatRuns' },
);

export function createRedeliveryStore(connection: Connection) {
  const model = modelOf(connection, 'Redelivery', schema);
  const end = { $unset: { dueAt: 1 as const, lease: 1 as const } };

  return {
    /**
     * @returns what was saved, by an earlier attempt at this request or now
     * @throws AppError conflict `webhook_redelivery_running`: an endpoint has one that runs
     */
    add: (redelivery: Redelivery, write: ProtectedWrite | null): Promise<Redelivery> =>
      writeOnceIn(write, connection, async (within) => {
        const { id, ...fields } = redelivery;
        const due = redelivery.state === 'running' ? { dueAt: redelivery.createdAt } : {};
        try {
          await model.create([{ _id: id, ...fields, ...due }], within);
        } catch (error) {
          if (!isDuplicateKey(error, 'oneThatRuns')) throw error;
          const message = 'a redelivery of this endpoint is running; wait for its end';
          throw new AppError('conflict', 'webhook_redelivery_running', message);
        }
        return redelivery;
      }),
    async find(endpointId: string, id: string): Promise<Redelivery | null> {
      const found = await model.findOne({ _id: id, endpointId }).lean<Record>();
      return found && toRedelivery(found);
    },
    /** Claims the job that has waited longest, under the lease. */
    async claim(lease: Lease): Promise<Redelivery | null> {
      const claimed = await claimNextDue(model, lease);
      return claimed && toRedelivery(claimed);
    },
    /** Saves a page and releases the job, or ends it. Does nothing if the lease was lost. */
    async save(id: string, lease: Lease, { found, queued, next: cursor, at }: Page & { at: Date }): Promise<void> {
      const counts = { $inc: { processed: found, queued } };
      const next = cursor
        ? { $set: { cursor, dueAt: at }, $unset: { lease: 1 as const } }
        : { $set: { state: 'done' as const, endedAt: at }, ...end };
      await model.updateOne({ _id: id, lease: lease.id }, { ...counts, ...next });
    },
    /** Releases the job until then. */
    async postpone(id: string, lease: Lease, until: Date): Promise<void> {
      await model.updateOne({ _id: id, lease: lease.id }, { $set: { dueAt: until }, $unset: { lease: 1 } });
    },
    async stop(id: string, lease: Lease, at: Date): Promise<void> {
      await model.updateOne({ _id: id, lease: lease.id }, { $set: { state: 'stopped', endedAt: at }, ...end });
    },
  };
}

function toRedelivery({ _id, dueAt: _dueAt, lease: _lease, ...redelivery }: Record): Redelivery {
  return { id: _id, ...redelivery };
}
