import type { CanonicalInvoice, TicketSnapshot, ViewSnapshot } from '@app/contracts';
import type { Candidate, MatchSettings, SupplierMatch } from '../matching.ts';
import { cents, formatCents } from '../money.ts';
import type { KnownReferenceKind } from '../references/known-references.ts';
import type { ReferenceHit } from '../references/reference-index.ts';
import { type AmountComparison, compareReceived } from './amounts.ts';
import type { AmountLevel, Signal } from './signal.ts';

/** A candidate compared with an invoice: what the signals score. `locationText` is that of the invoice. */
export type Evaluation = {
  invoice: CanonicalInvoice;
  candidate: Candidate;
  view: ViewSnapshot;
  supplier: SupplierMatch;
  hits: readonly ReferenceHit[];
  amount: AmountComparison;
  /** The ticket's place that the invoice names; `otherPlace`: one that it names instead. */
  place: string | null;
  otherPlace: string | null;
  settings: MatchSettings;
};

/** A signal, with the reason in words for operators. */
type Points = Signal & { reason: string };

/** The points of each signal. Increment `scoreVersion` with each change. */
export const weights = {
  reference: { order: 50, quote: 45, number: 45, id: 50, request: 40, receipt: 40, contract: 20 },
  sharedNumber: 20,
  learnedReference: 30,
  fuzzyReference: 15,
  secondReference: 10,
  supplier: 15,
  likelySupplier: 10,
  amount: { equal: 25, close: 18, near: 8, part: 5, above: -15 },
  issuedSoon: 6,
  issuedLater: 3,
  issuedBeforeCreation: -20,
  finished: 4,
  inProgress: 2,
  notStarted: -10,
  location: 5,
  otherLocation: -15,
  goodsReceipt: 3,
  alreadyInvoiced: -25,
} as const satisfies Record<string, number | Record<KnownReferenceKind, number> | Record<AmountLevel, number>>;

const none = {};
const names: Record<KnownReferenceKind, string> = {
  order: 'order',
  quote: 'quote',
  number: 'ticket number',
  id: 'ticket id',
  request: 'purchase request',
  receipt: 'goods receipt',
  contract: 'maintenance contract',
};

const statuses: Record<string, Points> = {
  ...statusPoints(['finished', 'closed'], weights.finished, (status) => `the ticket is ${status}`),
  ...statusPoints(
    ['intervention', 'intervention_finish'],
    weights.inProgress,
    () => 'the intervention is planned or done',
  ),
  ...statusPoints(['opened', 'waiting', 'proposed'], weights.notStarted, (status) => `the ticket is still ${status}`),
};

const soonDays = 60;
const laterDays = 180;

export const signals: readonly ((evaluation: Evaluation) => Points | null)[] = [
  ({ hits }) => (hits[0] ? referencePoints(hits[0]) : null),
  secondReference,
  (evaluation) =>
    supplierAgrees(evaluation)
      ? {
          code: 'supplier',
          points: weights.supplier,
          values: { name: evaluation.invoice.supplier.name },
          reason: `${evaluation.invoice.supplier.name ?? 'the supplier'} is the contractor of the ticket`,
        }
      : null,
  ({ view, supplier }) =>
    supplier.likelyIds?.includes(view.contractor_id ?? '')
      ? {
          code: 'likely_supplier',
          points: weights.likelySupplier,
          values: none,
          reason: 'the contractor of the ticket has the name or the VAT number of the supplier',
        }
      : null,
  amountPoints,
  intervalPoints,
  ({ invoice, candidate: { ticket } }) =>
    invoice.issueDate < ticket.created_at.slice(0, 10)
      ? {
          code: 'issued_before_ticket',
          points: weights.issuedBeforeCreation,
          values: none,
          // Only a ticket that was `asked` for may be younger still, and the reasons of those are shown to nobody.
          reason: 'issued on the day before the ticket was created',
        }
      : null,
  ({ candidate: { ticket } }) => statuses[ticket.status] ?? null,
  ({ place: name }) =>
    name === null
      ? null
      : {
          code: 'place',
          points: weights.location,
          values: { name },
          reason: `the invoice names the place: ${name}`,
        },
  ({ otherPlace: name, candidate: { locations } }) => {
    if (name === null) return null;
    const held = locations.map((one) => one.name).join(', ');
    const reason = `the invoice names another place: ${name}; the ticket is at ${held}`;
    return { code: 'other_place', points: weights.otherLocation, values: { name, held }, reason };
  },
  (evaluation) => {
    const receipts = goodsReceipts(evaluation);
    const [receipt] = receipts;
    if (!receipt) return null;
    const { invoice, candidate, settings } = evaluation;
    const level = compareReceived(invoice, candidate, { receipts, settings });
    const values = { held: receipt.reference, ...(level && { level }) };
    const reason = `goods receipt ${receipt.reference} is there`;
    return { code: 'goods_receipt', points: weights.goodsReceipt, values, reason };
  },
  ({ amount, candidate: { linked }, settings }) => {
    if (!amount.covered) return null;
    const { length: count } = linked;
    const { currency } = settings;
    const { withVat } = amount;
    const sum = linked.reduce((total, one) => total + cents(withVat ? one.ttc : one.ht), 0);
    const reason = `the ticket is invoiced already: ${count} of ${formatCents(sum)} ${currency} ${vatWords(withVat)}`;
    const values = { count, invoiced: sum / 100, withVat, currency };
    return { code: 'already_invoiced', points: weights.alreadyInvoiced, values, reason };
  },
];

/**
 * What matching reads of a ticket, as one text: while it stays the same, the ticket need not be
 * matched again. A status counts by its points. `updated_at` counts by its month: a day matters
 * only at the age limit of 18 months, and for the order of equal scores.
 */
export function ticketTraits(ticket: TicketSnapshot): string {
  const { number, title, maintenance, location_ids, created_at, updated_at, last_intervention_at, quotes } = ticket;
  const views = ticket.views.map(({ status: _unread, ...view }) => view);
  const statusValue = statuses[ticket.status]?.points ?? ticket.status;
  const dates = [created_at, updated_at.slice(0, 'YYYY-MM'.length), last_intervention_at];
  return JSON.stringify([number, title, maintenance, location_ids, dates, views, quotes, statusValue]);
}

/** True if the supplier is the contractor who has the ticket now. */
export function supplierAgrees({ view, supplier }: Evaluation): boolean {
  return view.state === 'active' && supplier.contractorIds.includes(view.contractor_id ?? '');
}

/** The points of one agreeing reference. */
export function referencePoints({ reference, written, fuzzy, learned, shared }: ReferenceHit): Points {
  const name = `${names[reference.kind]} ${reference.text}`;
  const as = written === reference.text ? '' : `, written “${written}”`;
  const values = { kind: reference.kind, held: reference.text, written };
  if (learned) {
    const reason = `${name}, as this supplier writes it: “${written}”`;
    return { code: 'reference_learned', points: weights.learnedReference, values, reason };
  }
  if (fuzzy) {
    const reason = `${name} nearly agrees with “${written}”`;
    return { code: 'reference_near', points: weights.fuzzyReference, values, reason };
  }
  if (shared && reference.kind === 'number') {
    const reason = `${name} agrees${as}, but several tickets have it`;
    return { code: 'reference_shared', points: weights.sharedNumber, values, reason };
  }
  return { code: 'reference', points: weights.reference[reference.kind], values, reason: `${name} agrees${as}` };
}

/** True if the hit is exact and its reference belongs to one ticket alone. */
export function isExactHit({ reference, fuzzy, shared }: ReferenceHit): boolean {
  return !fuzzy && reference.kind !== 'contract' && !(shared && reference.kind === 'number');
}

/** Days from the ticket's intervention to the invoice's issue; null: no intervention is known. */
function daysSinceIntervention({ invoice, candidate: { ticket } }: Evaluation): number | null {
  if (ticket.last_intervention_at === null) return null;
  return (Date.parse(invoice.issueDate) - Date.parse(ticket.last_intervention_at.slice(0, 10))) / 86_400_000;
}

/** True if the invoice was issued within 60 days after the intervention. */
export function isSoonAfter(evaluation: Evaluation): boolean {
  const days = daysSinceIntervention(evaluation);
  return days !== null && days >= 0 && days <= soonDays;
}

/** The goods receipts, not deleted, of the order that the invoice names; if it names none, all of the ticket. */
export function goodsReceipts({ candidate: { purchases }, hits }: Evaluation) {
  const named = hits.find(({ reference, fuzzy }) => reference.kind === 'order' && !fuzzy)?.reference.order ?? null;
  const receipts = purchases.filter(({ kind, deleted }) => kind === 'goods_receipt' && !deleted);
  return receipts.filter((one) => named === null || one.purchase_order_id === null || one.purchase_order_id === named);
}

function secondReference({ hits: [first, ...rest] }: Evaluation): Points | null {
  const second = rest.find(
    (hit) => isExactHit(hit) && hit.mention !== first?.mention && hit.reference.text !== first?.reference.text,
  );
  if (!second || !first || first.fuzzy) return null;
  const { kind, text } = second.reference;
  const values = { kind, held: text, written: second.written };
  const reason = `${names[kind]} ${text} agrees too`;
  return { code: 'second_reference', points: weights.secondReference, values, reason };
}

function amountPoints({ invoice, amount, settings: { currency } }: Evaluation): Points | null {
  const { level, basis, withVat, fitsWithVat } = amount;
  if (level === null || amount.compared === null) return null;
  const own = withVat ? invoice.amounts.ttc : invoice.amounts.ht;
  const invoiced = formatCents(cents(own));
  const compared = `${basis} ${currency} ${vatWords(withVat)}`;
  const sentences: Record<AmountLevel, string> = {
    equal: `amount equals ${compared}`,
    close: `amount ${invoiced} is within the tolerance of ${compared}`,
    near: `amount ${invoiced} is within 10 % of ${compared}`,
    part: `amount ${invoiced} may be a part of ${compared}`,
    above: `amount ${invoiced} is more than 10 % above ${compared}`,
  };
  const { kind, references, remaining } = amount.compared;
  const amounts = { level, invoiced: own, compared: amount.compared.amount / 100, withVat, currency };
  const values = { ...amounts, kind, references, remaining, ...(fitsWithVat && { fitsWithVat }) };
  const reason = fitsWithVat ? `${sentences[level]}; it fits if the ${kind} includes VAT` : sentences[level];
  return { code: 'amount', points: weights.amount[level], values, reason };
}

function vatWords(withVat: boolean): string {
  return withVat ? 'with VAT' : 'without VAT';
}

function intervalPoints(evaluation: Evaluation): Points | null {
  const days = daysSinceIntervention(evaluation);
  if (days === null || days < 0 || days > laterDays) return null;
  const date = evaluation.candidate.ticket.last_intervention_at?.slice(0, 10) ?? '';
  const reason = `issued ${days} days after the intervention of ${date}`;
  const points = days <= soonDays ? weights.issuedSoon : weights.issuedLater;
  return { code: 'issued_after_intervention', points, values: { days, date }, reason };
}

function statusPoints(of: string[], points: number, reasonFor: (status: string) => string): Record<string, Points> {
  const signalOf = (status: string) => ({ code: 'ticket_status' as const, points, values: { status } });
  return Object.fromEntries(of.map((status) => [status, { ...signalOf(status), reason: reasonFor(status) }]));
}
