const batchSize = 2_000;
const inFlight = 3;

/** So many of something, batch by batch, a few batches at a time: a million never stands in memory. */
export async function inBatches(
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
