/** Providers list some changes late, so each poll goes back behind the last known change. */
const overlapMs = 5 * 60_000;
/** A connection without changes asks for the last day at most. Our clock may run ahead by as much without missing a change. */
const maxQuietWindowMs = 24 * 3_600_000;
/** Tolerated difference between the clocks of the database and a provider. */
const clockSkewMs = 60_000;

/** `lastPolledAt`: start of the last complete poll, by our clock. `seenUntil`: the last change, by the provider's clock. */
type PollState = { createdAt: Date; lastPolledAt: Date | null; seenUntil: Date | null };

/**
 * The `since` of the next poll: the last change that the provider reported, less the overlap, and never in the future. Our own
 * clock counts only to bound the window of a quiet connection, and not if it was ahead.
 */
export function pollSince({ createdAt, lastPolledAt, seenUntil }: PollState, now: Date): Date {
  const created = Math.min(createdAt.getTime(), now.getTime());
  const seen = seenUntil === null ? created : Math.min(seenUntil.getTime(), now.getTime()) - overlapMs;
  const quiet = lastPolledAt === null || lastPolledAt > now ? created : lastPolledAt.getTime() - maxQuietWindowMs;
  return new Date(Math.max(created, seen, quiet));
}

/** An invoice fetched after this time has every change of the page, so the overlap does not fetch it again. */
export function fetchedSince({ watermark }: { watermark: Date | null }): Date | null {
  return watermark && new Date(watermark.getTime() + clockSkewMs);
}

/** The interval ±10 %, so that connections created together drift apart. */
export function nextPollAt(now: Date, intervalMs: number, random = Math.random()): Date {
  return new Date(now.getTime() + intervalMs * (0.9 + 0.2 * random));
}
