// By the provider's clock: by ours, one jump would leave changes that no poll lists.
import type { ListedInvoice } from '../jobs/job.ts';

/** Providers list some changes late, so each poll goes back behind the last known change. */
const overlapMs = 5 * 60_000;
/** A connection that has seen no change yet, or none for long, asks for a day more. Our clock may be ahead by as much without missing a change. */
const clockMarginMs = 24 * 3_600_000;
/** How long after its time another change may get that time, which providers write to the minute or to the second. */
const coarseness = [60_000, 1_000];

/** `lastPolledAt`: start of the last complete poll, by our clock. `seenUntil`: the last change, by the provider's clock. */
type PollState = { createdAt: Date; lastPolledAt: Date | null; seenUntil: Date | null };

/**
 * The `since` of the next poll: the last change that the provider reported, less the overlap, and never in the future. Our own
 * clock counts only to bound the window of a new or quiet connection, and not if it was ahead.
 */
export function pollSince({ createdAt, lastPolledAt, seenUntil }: PollState, now: Date): Date {
  const created = Math.min(createdAt.getTime(), now.getTime()) - clockMarginMs;
  const seen = seenUntil === null ? created : Math.min(seenUntil.getTime(), now.getTime()) - overlapMs;
  const quiet = lastPolledAt === null || lastPolledAt > now ? created : lastPolledAt.getTime() - clockMarginMs;
  return new Date(Math.max(created, seen, quiet));
}

/** `answeredAt`: by the provider's clock, as the times of the changes. */
type Page = { changes: ListedInvoice[]; answeredAt: Date | null };

/**
 * The invoices of a page, each once. The provider's clock alone decides what is known: a change that it lists again under the same
 * time, once no other change can have got that time any more. So what is fetched at once is fetched again only if its time is coarse.
 */
export function listedInvoices({ changes, answeredAt }: Page): ListedInvoice[] {
  const invoices = changes.map(({ externalId, deleted, changedAt }) => {
    const isSettled = changedAt !== null && answeredAt !== null && isOver(changedAt.getTime(), answeredAt.getTime());
    return { externalId, deleted, changedAt: isSettled ? changedAt : null };
  });
  return [...new Map(invoices.map((invoice) => [invoice.externalId, invoice])).values()];
}

/** A time with milliseconds names one change. `answered` is written in seconds, so the answer may be younger by one. */
function isOver(changed: number, answered: number): boolean {
  const coarse = coarseness.find((ms) => changed % ms === 0);
  return coarse === undefined ? changed < answered + 1_000 : changed + coarse <= answered;
}

/** The interval ±10 %, so that connections created together drift apart. */
export function nextPollAt(now: Date, intervalMs: number, random = Math.random()): Date {
  return new Date(now.getTime() + intervalMs * (0.9 + 0.2 * random));
}
