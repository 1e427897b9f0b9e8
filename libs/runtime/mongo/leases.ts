import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { isDuplicateKey } from './mongo.ts';

/** A connection, or the driver's database. */
type Database = { collection(name: string): unknown };

export type Leases = ReturnType<typeof createLeases>;

type LeaseRecord = { _id: string; holder: string; until: Date };

/** The leases of one process, by the clock of the database. One that is not renewed ends after `leaseMs`. */
export function createLeases(leaseMs: number) {
  const holder = randomUUID();
  const isFree = {
    $or: [{ $eq: ['$holder', holder] }, { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }],
  };
  const until = { $cond: [isFree, { $add: ['$$NOW', leaseMs] }, '$until'] };
  const update = [{ $set: { holder: { $cond: [isFree, holder, '$holder'] }, until } }];
  const leasesIn = (database: Database) => database.collection('leases') as mongo.Collection<LeaseRecord>;
  return {
    /** Takes the lease of this name, or renews it; false while another process has it. */
    async take(database: Database, name: string): Promise<boolean> {
      try {
        const options = { upsert: true, returnDocument: 'after' } as const;
        return (await leasesIn(database).findOneAndUpdate({ _id: name }, update, options))?.holder === holder;
      } catch (error) {
        // Another process made the record just now.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release(database: Database, name: string): Promise<void> {
      await leasesIn(database).updateOne({ _id: name, holder }, { $set: { until: new Date(0) } });
    },
  };
}
