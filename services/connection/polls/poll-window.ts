/** Changes from before the last one that is known are listed again: providers show some late (design section 10). */
const overlapMs = 5 * 60_000;
/** Where nothing changes, the list of no more than the last day is asked for: so far ahead a clock may run, and nothing is missed. */
const quietMs = 24 * 3_600_000;
/** How far the database's clock and a provider's may lie apart before a fetch is thought to be newer than a change that it missed. */
const clockDifferenceMs = 60_000;

/** `lastPolledAt`: by our clock, when the last poll that came to its end began; `seenUntil`: the last change that a provider told of. */
type Polled = { createdAt: Date; lastPolledAt: Date | null; seenUntil: Date | null };

/**
 * From when on a connection asks for changes: from the last one that its provider told of, with overlap, since clocks differ and
 * jump; never from a time that lies ahead. What our own clock said counts with a day's distance, and not at all where it was ahead.
 */
export function pollSince({ createdAt, lastPolledAt, seenUntil }: Polled, now: Date): Date {
  const made = Math.min(createdAt.getTime(), now.getTime());
  const told = seenUntil === null ? made : Math.min(seenUntil.getTime(), now.getTime()) - overlapMs;
  const quiet = lastPolledAt === null || lastPolledAt > now ? made : lastPolledAt.getTime() - quietMs;
  return new Date(Math.max(made, told, quiet));
}

/** What was fetched after that has every change of the page already: the overlap fetches nothing twice. */
export function fetchedSince({ watermark }: { watermark: Date | null }): Date | null {
  return watermark && new Date(watermark.getTime() + clockDifferenceMs);
}

/** The next poll: the interval, a tenth more or less, so that connections made together do not poll together for ever. */
export function nextPollAt(now: Date, intervalMs: number, chance = Math.random()): Date {
  return new Date(now.getTime() + intervalMs * (0.9 + 0.2 * chance));
}
