import type { CanonicalInvoice, TicketSnapshot, ViewSnapshot } from '@app/contracts';
import { type AmountLevel, type AmountLook, money } from './amounts.ts';
import { cents } from './guards.ts';
import type { HeldKind } from './held.ts';
import type { Candidate, MatchSettings, SupplierMatch } from './matching.ts';
import { nameWritten } from './places.ts';
import type { Hit } from './reference-index.ts';

/** One candidate, looked at for one invoice. `places` is what the invoice says of places (see `placesOf`). */
export type Look = {
  invoice: CanonicalInvoice;
  candidate: Candidate;
  view: ViewSnapshot;
  supplier: SupplierMatch;
  hits: readonly Hit[];
  amount: AmountLook;
  places: string;
  settings: MatchSettings;
};

/** Points, with the reason in words for operators. */
export type Gain = { points: number; reason: string };

/** Spec: domain.md section 6.2, its table from top to bottom; whoever changes a figure raises `scoreVersion`. */
export const points = {
  reference: { order: 50, quote: 45, number: 45, id: 50, request: 40, receipt: 40, contract: 20 },
  sharedNumber: 20,
  learnedReference: 30,
  nearReference: 15,
  secondReference: 10,
  supplier: 15,
  likelySupplier: 10,
  amount: { equal: 25, close: 18, near: 8, part: 5, above: -15 },
  issuedSoon: 6,
  issuedLater: 3,
  issuedBeforeCreation: -20,
  done: 4,
  underWay: 2,
  notBegun: -10,
  place: 5,
  goodsReceipt: 3,
  alreadyInvoiced: -25,
} as const satisfies Record<string, number | Record<HeldKind, number> | Record<AmountLevel, number>>;

const names: Record<HeldKind, string> = {
  order: 'order',
  quote: 'quote',
  number: 'ticket number',
  id: 'ticket id',
  request: 'purchase request',
  receipt: 'goods receipt',
  contract: 'maintenance contract',
};

const statuses: Record<string, Gain> = {
  ...statusGain(['finished', 'closed'], points.done, (status) => `the ticket is ${status}`),
  ...statusGain(['intervention', 'intervention_finish'], points.underWay, () => 'the intervention is planned or done'),
  ...statusGain(['opened', 'waiting', 'proposed'], points.notBegun, (status) => `the ticket is still ${status}`),
};

const soonDays = 60;
const laterDays = 180;

export const signals: readonly ((look: Look) => Gain | null)[] = [
  ({ hits }) => (hits[0] ? gainOf(hits[0]) : null),
  secondReference,
  (look) =>
    (supplierAgrees(look) && {
      points: points.supplier,
      reason: `${look.invoice.supplier.name ?? 'the supplier'} is the contractor of the ticket`,
    }) ||
    null,
  ({ view, supplier }) =>
    supplier.likelyIds?.includes(view.contractor_id ?? '')
      ? {
          points: points.likelySupplier,
          reason: 'the contractor of the ticket has the name or the VAT number of the supplier',
        }
      : null,
  amountGain,
  intervalGain,
  ({ invoice, candidate: { ticket } }) =>
    invoice.issueDate < ticket.created_at.slice(0, 10)
      ? { points: points.issuedBeforeCreation, reason: 'issued on the day before the ticket was created' }
      : null,
  ({ candidate }) => statuses[candidate.ticket.status] ?? null,
  ({ candidate, places }) => {
    const written = nameWritten(candidate.locations, places);
    return written === null ? null : { points: points.place, reason: `the invoice names the place: ${written}` };
  },
  (look) => {
    const receipt = goodsReceipt(look);
    return receipt && { points: points.goodsReceipt, reason: `goods receipt ${receipt.reference} is there` };
  },
  ({ amount, candidate: { linked }, settings }) => {
    if (!amount.covered) return null;
    const sum = money(linked.reduce((total, one) => total + cents(one.ht), 0));
    const reason = `the ticket is invoiced already: ${linked.length} of ${sum} ${settings.currency} without VAT`;
    return { points: points.alreadyInvoiced, reason };
  },
];

/**
 * What matching reads of a ticket: while it stays the same, no invoice is decided otherwise. A status counts as what it is
 * worth, and the last change as its month: a ticket that wakes up comes into the time of invoices again.
 */
export function ticketTraits(ticket: TicketSnapshot): string {
  const { number, title, maintenance, location_ids, created_at, updated_at, last_intervention_at, quotes } = ticket;
  const views = ticket.views.map(({ status: _unread, ...view }) => view);
  const worth = statuses[ticket.status]?.points ?? ticket.status;
  const dates = [created_at, updated_at.slice(0, 'YYYY-MM'.length), last_intervention_at];
  return JSON.stringify([number, title, maintenance, location_ids, dates, views, quotes, worth]);
}

/** True where the supplier is the contractor who has the ticket now. */
export function supplierAgrees({ view, supplier }: Look): boolean {
  return view.state === 'active' && supplier.contractorIds.includes(view.contractor_id ?? '');
}

/** What an agreeing reference is worth by itself. */
export function gainOf({ held, written, near, learned, shared }: Hit): Gain {
  const name = `${names[held.kind]} ${held.text}`;
  const as = written === held.text ? '' : `, written “${written}”`;
  if (learned) return { points: points.learnedReference, reason: `${name}, as this supplier writes it: “${written}”` };
  if (near) return { points: points.nearReference, reason: `${name} nearly agrees with “${written}”` };
  if (shared && held.kind === 'number') {
    return { points: points.sharedNumber, reason: `${name} agrees${as}, but several tickets have it` };
  }
  return { points: points.reference[held.kind], reason: `${name} agrees${as}` };
}

/** True where it agrees exactly, with what one ticket alone is called by. */
export function isExact({ held, near, shared }: Hit): boolean {
  return !near && held.kind !== 'contract' && !(shared && held.kind === 'number');
}

/** How many days before the invoice the ticket's intervention was; null: none is known. */
export function daysSinceIntervention({ invoice, candidate: { ticket } }: Look): number | null {
  if (ticket.last_intervention_at === null) return null;
  return (Date.parse(invoice.issueDate) - Date.parse(ticket.last_intervention_at.slice(0, 10))) / 86_400_000;
}

export function isSoonAfter(look: Look): boolean {
  const days = daysSinceIntervention(look);
  return days !== null && days >= 0 && days <= soonDays;
}

/** A live goods receipt of the order that the invoice names, else of the ticket. */
export function goodsReceipt({ candidate: { purchases }, hits }: Look) {
  const named = hits.find(({ held, near }) => held.kind === 'order' && !near)?.held.order ?? null;
  const receipts = purchases.filter(({ kind, deleted }) => kind === 'goods_receipt' && !deleted);
  return (
    receipts.find((one) => named === null || one.purchase_order_id === null || one.purchase_order_id === named) ?? null
  );
}

function secondReference({ hits: [first, ...rest] }: Look): Gain | null {
  const second = rest.find(
    (hit) => isExact(hit) && hit.mention !== first?.mention && hit.held.text !== first?.held.text,
  );
  if (!second || !first || first.near) return null;
  return { points: points.secondReference, reason: `${names[second.held.kind]} ${second.held.text} agrees too` };
}

function amountGain({ invoice, amount: { level, basis, withVat }, settings: { currency } }: Look): Gain | null {
  if (level === null) return null;
  const invoiced = money(cents(withVat ? invoice.amounts.ttc : invoice.amounts.ht));
  const compared = `${basis} ${currency} ${withVat ? 'with' : 'without'} VAT`;
  const sentences: Record<AmountLevel, string> = {
    equal: `amount equals ${compared}`,
    close: `amount ${invoiced} is within the tolerance of ${compared}`,
    near: `amount ${invoiced} is within 10 % of ${compared}`,
    part: `amount ${invoiced} may be a part of ${compared}`,
    above: `amount ${invoiced} is more than 10 % above ${compared}`,
  };
  return { points: points.amount[level], reason: sentences[level] };
}

function intervalGain(look: Look): Gain | null {
  const days = daysSinceIntervention(look);
  if (days === null || days < 0 || days > laterDays) return null;
  const day = look.candidate.ticket.last_intervention_at?.slice(0, 10);
  const reason = `issued ${days} days after the intervention of ${day}`;
  return { points: days <= soonDays ? points.issuedSoon : points.issuedLater, reason };
}

function statusGain(of: string[], worth: number, says: (status: string) => string): Record<string, Gain> {
  return Object.fromEntries(of.map((status) => [status, { points: worth, reason: says(status) }]));
}
