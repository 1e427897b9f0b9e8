import { collectionOf, documentSchema, modelOf } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type AttemptCounts, noCounts } from './attempt-statistics.ts';

export type CountedPeriod = { endpointId: string; periodMs: number; at: Date };

export type AttemptStatisticsStore = ReturnType<typeof createAttemptStatisticsStore>;

/** All queries are by `_id`: endpoint, length of the period and its start. */
type CountsRecord = Partial<AttemptCounts> & { _id: string; at: Date };

/** Kept as long as the deliveries themselves. */
const keptSeconds = 90 * 24 * 3600;

const countsSchema = documentSchema<CountsRecord>('attempt_counts');
countsSchema.index({ at: 1 }, { expireAfterSeconds: keptSeconds, name: 'kept' });

export function createAttemptStatisticsStore(connection: Connection) {
  // By the driver: every batch of deliveries writes here.
  const collection = collectionOf(modelOf(connection, 'AttemptCounts', countsSchema));

  return {
    /** Adds counts to those of their periods. */
    async add(counted: { period: CountedPeriod; counts: AttemptCounts }[]): Promise<void> {
      const updates = counted.map(({ period, counts: { durations, ...counts } }) => {
        const bins = Object.entries(durations).map(([bin, count]) => [`durations.${bin}`, count]);
        const update = { $inc: { ...counts, ...Object.fromEntries(bins) }, $setOnInsert: { at: period.at } };
        return { updateOne: { filter: { _id: idOf(period) }, update, upsert: true } };
      });
      // Without the journal: the deliveries are the record of what was sent, not these counts.
      await collection.bulkWrite(updates, { ordered: false, writeConcern: { w: 1, journal: false } });
    },
    /** The periods of that length that began at or after `since` and before `until` and have attempts, in order. */
    async list(
      of: { endpointId: string; periodMs: number },
      { since, until }: { since: Date; until: Date },
    ): Promise<{ at: Date; counts: AttemptCounts }[]> {
      const range = { $gte: idOf({ ...of, at: since }), $lt: idOf({ ...of, at: until }) };
      const found = await collection.find({ _id: range }).sort({ _id: 1 }).toArray();
      return found.map(({ _id, at, ...counts }) => ({ at, counts: { ...noCounts(), ...counts } }));
    },
  };
}

/** ISO dates, which sort by time until the year 9999. */
function idOf({ endpointId, periodMs, at }: CountedPeriod): string {
  return `${endpointId}.${periodMs}.${at.toISOString()}`;
}
