import { type Invoice, mayLink, warningsOf } from './invoice.ts';

/** A ticket that an invoice may be linked to: a suggestion, or one that was looked for. */
export type Choice = Omit<Invoice['suggestions'][number], 'reasons'>;

export type Strength = 'strong' | 'possible' | 'weak';

export function strengthOf(score: number): Strength {
  if (score >= 80) return 'strong';
  return score >= 50 ? 'possible' : 'weak';
}

/** Whether something about the invoice must be read before anything is done. */
export function hasAlert({ state, reasons, flags }: Pick<Invoice, 'state' | 'reasons' | 'flags'>): boolean {
  return state === 'manual_review' || state === 'error' || reasonsOfReview(reasons) || warningsOf(flags).length > 0;
}

/** In the queue `reasons` are sentences; those of a review are codes. */
function reasonsOfReview(reasons: readonly string[]): boolean {
  return reasons.some((reason) => /^[a-z]+(_[a-z]+)+$/.test(reason));
}

/** Only a strong suggestion without any alert, and not one of several equals: the main action never guesses. */
export function preselected(invoice: Invoice, choices: readonly Choice[]): string | null {
  const [best, second] = choices;
  if (!best || !mayLink(invoice) || hasAlert(invoice) || strengthOf(best.score) !== 'strong') return null;
  return second && second.score === best.score ? null : best.ticketId;
}

/** The choice with a number key, `1` being the first. */
export function choiceOfKey(choices: readonly Choice[], key: number): string | null {
  return choices[key - 1]?.ticketId ?? null;
}

/** Whether a link would also confirm an IBAN that nobody has confirmed yet. */
export function confirmsIban({ reasons }: Pick<Invoice, 'reasons'>): boolean {
  return reasons.includes('iban_changed');
}
