import { randomUUID } from 'node:crypto';
import { isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';

type SweptModel = { db: Connection; modelName: string };

export type SweepLeases = {
  /** Takes the lease of a model's sweep, or renews it; false while another process has it. */
  take(model: SweptModel): Promise<boolean>;
  release(model: SweptModel): Promise<void>;
};

type LeaseRecord = { _id: string; holder: string; until: Date };

/** The leases of one process, by the clock of the database. One that is not renewed ends after `leaseMs`. */
export function createSweepLeases(leaseMs: number): SweepLeases {
  const holder = randomUUID();
  const isFree = {
    $or: [{ $eq: ['$holder', holder] }, { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }],
  };
  const until = { $cond: [isFree, { $add: ['$$NOW', leaseMs] }, '$until'] };
  const update = [{ $set: { holder: { $cond: [isFree, holder, '$holder'] }, until } }];
  const leasesIn = (db: Connection) => db.collection<LeaseRecord>('outbox_leases');
  return {
    async take({ db, modelName }) {
      try {
        const options = { upsert: true, returnDocument: 'after' } as const;
        return (await leasesIn(db).findOneAndUpdate({ _id: modelName }, update, options))?.holder === holder;
      } catch (error) {
        // Another process made the record just now.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release({ db, modelName }) {
      await leasesIn(db).updateOne({ _id: modelName, holder }, { $set: { until: new Date(0) } });
    },
  };
}
