import type { Invoice } from './invoice.ts';

/** What a saved change says about matching by itself: how often it happens, and how often a person takes it back. */
export type MatchObserver = { matched(): void; undone(): void };

/** Later than that it says nothing about the matching any more (domain.md section 6.2). */
const undoneWithinMs = 30 * 24 * 3_600_000;

/** Only operators take an invoice from its ticket, or put it on another one; `before` null: it is new. */
export function observeMatch(observer: MatchObserver, before: Invoice | null, after: Invoice): void {
  if (before?.ticket_id === after.ticket_id) return;
  if (after.ticket_id !== null && after.matched_by === 'machine') observer.matched();
  if (before?.matched_by !== 'machine' || before.line_added_at === null) return;
  if (after.updated_at.getTime() - before.line_added_at.getTime() <= undoneWithinMs) observer.undone();
}
