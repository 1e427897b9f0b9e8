import { type Choice, otherContractor } from './choice.ts';
import { compare, markOf } from './comparison.ts';
import type { Invoice, Reason, Signal } from './invoice.ts';

/** Something that speaks against a link, so that a person says why it is made all the same. */
export type Objection =
  | { kind: 'reason'; reason: Reason }
  | { kind: 'flag'; flag: string }
  | { kind: 'contractor'; name: string }
  | { kind: 'signal'; signal: Signal };

/** Flags about the invoice itself; those about its best ticket are in the signals of the choice. */
const flagsOfInvoice = ['supplier_is_client', 'replaced'];
const aboveTolerance = 'over_tolerance';

/** All that speaks against linking the invoice to this ticket, worst first. */
export function objectionsTo(invoice: Invoice, choice: Choice): Objection[] {
  const { state, reasonCodes, flags } = invoice;
  // Another IBAN is confirmed by its own box.
  const reasons = state === 'manual_review' ? reasonCodes.filter(({ code }) => code !== 'iban_changed') : [];
  const against = choice.signals.filter((signal) => markOf(signal) === 'against');
  const gap = compare(invoice, choice).amount?.gap;
  const isAbove =
    gap !== null && gap !== undefined && (gap.level === 'far' || (gap.level === 'near' && gap.difference > 0));
  const shown = flags.filter((flag) => flagsOfInvoice.includes(flag) && !reasons.some(({ code }) => code === flag));
  const isShown = against.some(({ code }) => code === 'amount');
  const other = otherContractor(invoice, choice);
  return [
    ...reasons.map((reason): Objection => ({ kind: 'reason', reason })),
    ...shown.map((flag): Objection => ({ kind: 'flag', flag })),
    ...(other === null ? [] : [{ kind: 'contractor', name: other } as const]),
    ...against.map((signal): Objection => ({ kind: 'signal', signal })),
    ...(isAbove && !isShown ? [{ kind: 'flag', flag: aboveTolerance } as const] : []),
  ];
}
