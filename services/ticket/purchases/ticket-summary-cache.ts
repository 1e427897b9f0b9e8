import type { Viewer } from '../tickets/ticket-list-plan.ts';

/**
 * Tickets that were asked about a moment ago, as far as that company sees them: what is written for one of them and then handed
 * over needs no second look. Another replica may have been asked, so it is no more than a shortcut.
 */
export type TicketSummaryCache<Glance> = {
  set(ticket: Glance, viewer: Viewer): void;
  get(ticketId: string, viewer: Viewer): Glance | null;
};

/** As long as the purchase service takes at most from its question to its write. */
const forMs = 10_000;
const most = 1_000;

export function createTicketSummaryCache<Glance extends { _id: string }>(now: () => Date): TicketSummaryCache<Glance> {
  const known = new Map<string, { ticket: Glance; until: number }>();
  const keyOf = (ticketId: string, { companyId }: Viewer) => `${companyId} ${ticketId}`;
  return {
    set(ticket, viewer) {
      const key = keyOf(ticket._id, viewer);
      known.delete(key);
      // Oldest first out: a Map keeps the order of insertion.
      if (known.size >= most) known.delete(known.keys().next().value as string);
      known.set(key, { ticket, until: now().getTime() + forMs });
    },
    get(ticketId, viewer) {
      const found = known.get(keyOf(ticketId, viewer));
      return found && found.until > now().getTime() ? found.ticket : null;
    },
  };
}
