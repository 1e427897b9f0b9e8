import type { TsSchemas } from '@app/api-client';
import type { Outcome } from '../plan/plan-invoices.ts';

export type State = TsSchemas['FoundInvoice']['state'];

const waiting: Partial<Record<Outcome, State>> = { queue: 'ticket_unmatched', unreadable: 'error' };
const reported: readonly State[] = ['feedback_pending', 'feedback_sent', 'done', 'error'];
/** In which an invoice stays until a person, the provider or another ticket moves it. */
const resting: readonly State[] = [...reported, 'ticket_unmatched', 'manual_review'];

/**
 * Whether an invoice is where its outcome puts it. One that an earlier start delivered (`isKnown`) may be in any state in which
 * it rests: people have worked since then.
 */
export function isPlaced(state: State | undefined, outcome: Outcome, isKnown: boolean): boolean {
  if (state === undefined) return false;
  if (isKnown) return resting.includes(state);
  if (outcome === 'linked' || outcome === 'matched') return state === 'done';
  if (outcome === 'refused' || outcome === 'unheard') return reported.includes(state);
  // They are matched first, and come to review by what happens then.
  const isOnTheWay = ['changed_after_link', 'ticket_gone'].includes(outcome) && state === 'done';
  return isOnTheWay || state === (waiting[outcome] ?? 'manual_review');
}
