/** Changes from before the last poll are listed again: providers show some late, and clocks differ (design section 10). */
const overlapMs = 5 * 60_000;
/** How far our clock and a provider's may lie apart before a fetch is thought to be newer than a change that it missed. */
const clockDifferenceMs = 60_000;

/** From when on a connection asks for changes: since it was created, later from the last moment seen, with overlap. */
export function pollSince({ createdAt, lastPolledAt }: { createdAt: Date; lastPolledAt: Date | null }): Date {
  if (lastPolledAt === null) return createdAt;
  return new Date(Math.max(createdAt.getTime(), lastPolledAt.getTime() - overlapMs));
}

/**
 * Up to when everything was seen once a page is stored: the start of the poll after the last page; before, the last
 * change of the page, since pages come oldest first. Null where a page tells nothing.
 */
export function seenUntil(page: { cursor: string | null; watermark: Date | null }, startedAt: Date): Date | null {
  if (page.cursor === null) return startedAt;
  return page.watermark && new Date(Math.min(page.watermark.getTime(), startedAt.getTime()));
}

/** What was fetched after that has every change of the page already: the overlap fetches nothing twice. */
export function fetchedSince({ watermark }: { watermark: Date | null }): Date | null {
  return watermark && new Date(watermark.getTime() + clockDifferenceMs);
}

/** The next poll: the interval, a tenth more or less, so that connections made together do not poll together for ever. */
export function nextPollAt(now: Date, intervalMs: number, chance = Math.random()): Date {
  return new Date(now.getTime() + intervalMs * (0.9 + 0.2 * chance));
}
