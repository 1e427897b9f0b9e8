import type { Invoice, State } from './invoice.ts';
import { isTransient } from './state-machine.ts';

export type InvoiceObserver = {
  /** The state of the invoice changed. */
  moved(to: State): void;
  /** The invoice, fetched `ms` ago, is now on a ticket or waits for a person, for the first time. */
  processed(state: State, ms: number): void;
  /** Matching linked it to a ticket. */
  matched(): void;
  /** A person removed it from the ticket to which matching had linked it. */
  undone(): void;
};

/** A later change of the ticket does not mean that the match was wrong. */
const undoneWithinMs = 30 * 24 * 3_600_000;

/** Tells the observer of a saved change; `before` null: the invoice is new. */
export function observeChange(observer: InvoiceObserver, before: Invoice | null, after: Invoice): void {
  if (before?.state !== after.state) observer.moved(after.state);
  if (completesProcessing(before, after)) {
    observer.processed(after.state, Math.max(0, after.updated_at.getTime() - after.content.fetched_at.getTime()));
  }
  observeMatch(observer, before, after);
}

function completesProcessing(before: Invoice | null, after: Invoice): boolean {
  if (isInProgress(after)) return false;
  if (before === null || isInProgress(before)) return true;
  // Fetched again, and processed within one write.
  return before.ticket_id === null && before.content.fetched_at.getTime() !== after.content.fetched_at.getTime();
}

/** An error without a ticket counts as in progress: as a rule the worker retries it. */
function isInProgress({ state, ticket_id }: Invoice): boolean {
  return isTransient(state) || (state === 'error' && ticket_id === null);
}

/** Only operators unlink or move an invoice. */
function observeMatch(observer: InvoiceObserver, before: Invoice | null, after: Invoice): void {
  if (before?.ticket_id === after.ticket_id) return;
  if (after.ticket_id !== null && after.matched_by === 'machine') observer.matched();
  if (before?.matched_by !== 'machine' || before.line_added_at === null) return;
  if (after.updated_at.getTime() - before.line_added_at.getTime() <= undoneWithinMs) observer.undone();
}
