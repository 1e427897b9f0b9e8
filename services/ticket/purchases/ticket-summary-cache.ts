import { LRUCache } from 'lru-cache';
import type { Viewer } from '../tickets/visibility.ts';

/**
 * Tickets that a company asked about a moment ago: a purchase document that is then pushed needs no
 * second read of its ticket. It may be empty, since another replica may have been asked.
 */
export type TicketSummaryCache<Summary> = {
  set(ticket: Summary, viewer: Viewer): void;
  get(ticketId: string, viewer: Viewer): Summary | null;
};

/**
 * In milliseconds; named as the option of the cache. The purchase service takes at most 10 s from
 * its question to its write.
 */
const ttl = 9_999;
const max = 1_000;

export function createTicketSummaryCache<Summary extends { _id: string }>(
  now: () => Date,
): TicketSummaryCache<Summary> {
  const cache = new LRUCache<string, Summary>({ max, ttl, ttlResolution: 0, perf: { now: () => now().getTime() } });
  const keyOf = (ticketId: string, { companyId }: Viewer) => `${companyId} ${ticketId}`;
  return {
    set: (ticket, viewer) => void cache.set(keyOf(ticket._id, viewer), ticket),
    get: (ticketId, viewer) => cache.peek(keyOf(ticketId, viewer)) ?? null,
  };
}
