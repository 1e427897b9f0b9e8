import type { Invoice } from './invoice.ts';

/** Counts automatic matches, and those that a person undoes. */
export type MatchObserver = { matched(): void; undone(): void };

/** A later change of the ticket does not mean that the match was wrong. */
const undoneWithinMs = 30 * 24 * 3_600_000;

/** Notifies the observer of a saved change; `before` null: the invoice is new. Only operators unlink or move an invoice. */
export function observeMatch(observer: MatchObserver, before: Invoice | null, after: Invoice): void {
  if (before?.ticket_id === after.ticket_id) return;
  if (after.ticket_id !== null && after.matched_by === 'machine') observer.matched();
  if (before?.matched_by !== 'machine' || before.line_added_at === null) return;
  if (after.updated_at.getTime() - before.line_added_at.getTime() <= undoneWithinMs) observer.undone();
}
