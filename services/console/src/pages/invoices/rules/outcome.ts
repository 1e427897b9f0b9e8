import { ApiError, isUnanswered } from '../../../api/errors.ts';
import type { Concluded } from './conclusion.ts';
import type { Invoice } from './invoice.ts';
import { isTold, type Told } from './telling.ts';

/** What an action is to make of the invoice. A resync leaves nothing on it that could be read. */
type Wanted =
  | { kind: 'link'; target: { ticketId: string; viewId: string } }
  | { kind: 'unlink' }
  | { kind: 'clear' }
  | { kind: 'conclude'; concluded: Concluded }
  | { kind: 'reopen' }
  | { kind: 'tell'; told: Told }
  | { kind: 'resync' };

/**
 * What came of an action that ended with an error, by the invoice as it was read afterwards; null:
 * it could not be read. After a failure inside the API it may have been carried out; without an
 * answer it may still be carried out later.
 */
export function outcomeOf(act: Wanted, error: unknown, now: Invoice | null): 'done' | 'failed' | 'unknown' {
  const mayBeDone = error instanceof ApiError && (error.status === 0 || error.status >= 500);
  if (!mayBeDone) return 'failed';
  if (now === null || act.kind === 'resync') return 'unknown';
  if (isAsWanted(act, now)) return 'done';
  return isUnanswered(error) ? 'unknown' : 'failed';
}

/** Whether the invoice is what the action makes of it: nobody has changed it since. */
export function isAsWanted(act: Exclude<Wanted, { kind: 'resync' }>, now: Invoice): boolean {
  const { ticket, view, state, conclusion } = now;
  switch (act.kind) {
    case 'link':
      return ticket === act.target.ticketId && view === act.target.viewId;
    case 'unlink':
      return ticket === null;
    case 'clear':
      return state === 'ticket_unmatched';
    case 'conclude':
      return conclusion?.outcome === act.concluded.outcome;
    case 'reopen':
      return conclusion === null;
    case 'tell':
      return isTold(now, act.told);
  }
}
