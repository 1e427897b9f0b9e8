import type { MongoClient } from 'mongodb';
import { count } from './table.ts';

const progressEvery = 100_000;

/** For what is loaded before a measurement: as fast as it goes, and flushed before anything is measured. */
export const unordered = { ordered: false, writeConcern: { w: 1, journal: false } } as const;

/** Calls `run` for `size` items batch by batch, some batches at a time. */
export async function inBatches(
  size: number,
  { batchSize, atOnce }: { batchSize: number; atOnce: number },
  run: (from: number, count: number) => Promise<unknown>,
): Promise<void> {
  const flights = new Set<Promise<unknown>>();
  for (let from = 0; from < size; from += batchSize) {
    const flight: Promise<unknown> = run(from, Math.min(batchSize, size - from)).then(() => flights.delete(flight));
    flights.add(flight);
    if (flights.size >= atOnce) await Promise.race(flights);
  }
  await Promise.all(flights);
}

type Filling = {
  size: number;
  /** What is inserted, for the lines of progress. */
  what: string;
  progress: (line: string) => void;
};

/** The same for what is inserted: a million is never held in memory. */
export function insertInBatches(
  { size, what, progress }: Filling,
  add: (from: number, count: number) => Promise<void>,
): Promise<void> {
  return inBatches(size, { batchSize: 2_000, atOnce: 3 }, async (from, length) => {
    await add(from, length);
    const done = from + length;
    if (done % progressEvery === 0) progress(`${count(done)} of ${count(size)} ${what}`);
  });
}

/** Makes MongoDB write out what was just loaded, so that the next round does not pay for it. */
export async function flushToDisk(client: MongoClient): Promise<void> {
  await client.db('admin').command({ fsync: 1 });
}
