const batchSize = 2_000;
const inFlight = 3;

/**
 * Calls `add` for `size` items batch by batch, at most three batches at a time, so that a million is never held in memory.
 * @param progress called with the number of items begun
 */
export async function insertInBatches(
  size: number,
  progress: (done: number) => void,
  add: (from: number, count: number) => Promise<void>,
): Promise<void> {
  const flights = new Set<Promise<unknown>>();
  for (let from = 0; from < size; from += batchSize) {
    const flight: Promise<unknown> = add(from, Math.min(batchSize, size - from)).then(() => flights.delete(flight));
    flights.add(flight);
    if (flights.size >= inFlight) await Promise.race(flights);
    progress(Math.min(from + batchSize, size));
  }
  await Promise.all(flights);
}
