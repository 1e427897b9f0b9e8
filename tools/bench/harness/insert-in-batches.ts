import type { MongoClient } from 'mongodb';
import { count } from './table.ts';

const batchSize = 2_000;
const inFlight = 3;
const progressEvery = 100_000;

/** For what is loaded before a measurement: as fast as it goes, and flushed before anything is measured. */
export const unordered = { ordered: false, writeConcern: { w: 1, journal: false } } as const;

type Filling = {
  size: number;
  /** What is inserted, for the lines of progress. */
  what: string;
  progress: (line: string) => void;
};

/** Calls `add` for `size` items batch by batch, at most three batches at a time, so that a million is never held in memory. */
export async function insertInBatches(
  { size, what, progress }: Filling,
  add: (from: number, count: number) => Promise<void>,
): Promise<void> {
  const flights = new Set<Promise<unknown>>();
  for (let from = 0; from < size; from += batchSize) {
    const flight: Promise<unknown> = add(from, Math.min(batchSize, size - from)).then(() => flights.delete(flight));
    flights.add(flight);
    if (flights.size >= inFlight) await Promise.race(flights);
    const done = Math.min(from + batchSize, size);
    if (done % progressEvery === 0) progress(`${count(done)} of ${count(size)} ${what}`);
  }
  await Promise.all(flights);
}

/** Makes MongoDB write out what was just loaded, so that the next round does not pay for it. */
export async function flushToDisk(client: MongoClient): Promise<void> {
  await client.db('admin').command({ fsync: 1 });
}
