import { type Invoice, mayLink, warningsOf } from './invoice.ts';

/** A ticket that an invoice may be linked to: a suggestion, or one found by searching. */
export type Choice = Omit<Invoice['suggestions'][number], 'reasons'>;

export type Strength = 'strong' | 'possible' | 'weak';

export function strengthOf(score: number): Strength {
  if (score >= 80) return 'strong';
  return score >= 50 ? 'possible' : 'weak';
}

/** Whether the invoice has an alert that must be read before any action. */
export function hasAlert({ state, reasons, flags }: Pick<Invoice, 'state' | 'reasons' | 'flags'>): boolean {
  return state === 'manual_review' || state === 'error' || reasonsOfReview(reasons) || warningsOf(flags).length > 0;
}

/** In a review `reasons` are codes; in the queue they are sentences. */
function reasonsOfReview(reasons: readonly string[]): boolean {
  return reasons.some((reason) => /^[a-z]+(_[a-z]+)+$/.test(reason));
}

/** Letters and digits alone: a name written with other accents, capitals or hyphens is the same. */
const plainName = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/**
 * The contractor of the ticket, if the invoice names somebody else as its supplier and matching knows no tie between
 * them: the order may have been mistyped.
 */
export function otherContractor(
  { supplier }: Pick<Invoice, 'supplier'>,
  { contractor, signals }: Choice,
): string | null {
  if (signals.some(({ code }) => code === 'supplier' || code === 'likely_supplier')) return null;
  const name = contractor?.name;
  if (!name || !supplier.name || plainName(name) === plainName(supplier.name)) return null;
  return name;
}

/**
 * The choice that is preselected: only a strong suggestion of the supplier's, without any alert and without an equal
 * one. The main action never guesses.
 */
export function preselected(invoice: Invoice, choices: readonly Choice[]): string | null {
  const [best, second] = choices;
  if (!best || !mayLink(invoice) || hasAlert(invoice) || strengthOf(best.score) !== 'strong') return null;
  if (otherContractor(invoice, best) !== null) return null;
  return second && second.score === best.score ? null : best.ticketId;
}

/** The choice of a number key; `1` is the first. */
export function choiceOfKey(choices: readonly Choice[], key: number): string | null {
  return choices[key - 1]?.ticketId ?? null;
}

/** Whether a link would also confirm an IBAN that nobody has confirmed yet. */
export function confirmsIban({ reasons }: Pick<Invoice, 'reasons'>): boolean {
  return reasons.includes('iban_changed');
}
