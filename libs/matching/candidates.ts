import type { CanonicalInvoice, TicketSnapshot, ViewSnapshot } from '@app/contracts';
import { isId } from '@app/kernel';
import { cents } from './guards.ts';
import { heldByPurchase, heldByTicket } from './held.ts';
import type { CandidateLookup, MatchKeys, MatchPurchase, SupplierMatch } from './matching.ts';
import { mentionsOf } from './mentions.ts';
import { isTelling, referenceKeys } from './references.ts';

const statusesOut = ['draft', 'canceled', 'removed'] as const;
const mostCandidates = 200;
const mostKeys = 300;
const oldestMonths = 18;
/** Of a contractor's views the one that lasts longest; what was declined or withdrawn is a view still. */
const viewStates = ['active', 'pending', 'canceled', 'declined'];
const equalCents = [-2, -1, 0, 1, 2];

/** What a ticket is found by, its purchase documents apart. */
export function ticketKeys(ticket: TicketSnapshot): MatchKeys {
  const held = heldByTicket(ticket).filter(({ kind }) => kind !== 'id');
  return {
    keys: [...new Set(held.flatMap(({ text }) => referenceKeys(text)))],
    cents: ticket.quotes.filter(({ status }) => status === 'validated').map(({ price }) => cents(Number(price))),
  };
}

/** What a ticket is found by through one of its purchase documents; a deleted one has nothing. */
export function purchaseKeys(purchase: MatchPurchase): MatchKeys {
  const { kind, amount, deleted } = purchase;
  const isOrder = kind === 'purchase_order' && !deleted;
  return {
    keys: [...new Set(heldByPurchase(purchase).flatMap(({ text }) => referenceKeys(text)))],
    cents: isOrder && amount !== null ? [cents(amount)] : [],
  };
}

/** Where to look for the tickets of an invoice (spec: domain.md section 6.2). */
export function candidateLookup(invoice: CanonicalInvoice, supplier: SupplierMatch): CandidateLookup {
  const isKnown = supplier.contractorIds.length > 0;
  const pieces = mentionsOf(invoice).flatMap(({ readings }) => readings);
  const forms = new Set(pieces.flatMap((reading) => reading.forms));
  const { ht, ttc } = invoice.amounts;
  return {
    keys: [...forms].filter((form) => isKnown || isTelling(form)).slice(0, mostKeys),
    ticketIds: [...new Set(pieces.map(({ text }) => text.toLowerCase()).filter(isId))],
    contractorIds: supplier.contractorIds,
    cents: [...new Set([ht, ttc].flatMap((amount) => equalCents.map((off) => cents(amount) + off)))],
    ...datesOf(invoice),
    statusesOut,
    limit: mostCandidates,
  };
}

/** Tells of a ticket whether it may be that of the invoice, as far as status and dates tell. */
export function inTimeFor(invoice: CanonicalInvoice): (ticket: TicketSnapshot) => boolean {
  const { createdBefore, updatedFrom } = datesOf(invoice);
  return ({ status, created_at, updated_at }) =>
    !statusesOut.some((out) => out === status) && created_at < createdBefore && updated_at >= updatedFrom;
}

/** The view that the invoice would stand on: the supplier's; of an unknown supplier the one of the ticket's contractor. */
export function viewFor(ticket: TicketSnapshot, supplier: SupplierMatch): ViewSnapshot | null {
  const { contractorIds } = supplier;
  const isKnown = contractorIds.length > 0;
  const views = ticket.views
    .filter((view) => (isKnown ? contractorIds.includes(view.contractor_id ?? '') : view.state === 'active'))
    .sort((one, other) => viewStates.indexOf(one.state) - viewStates.indexOf(other.state));
  return views[0] ?? (isKnown ? null : (ticket.views.find(({ role }) => role === 'client') ?? null));
}

/** Created on the day after issue at the latest, updated in the 18 months before it; days in UTC. */
function datesOf({ issueDate }: CanonicalInvoice): { createdBefore: string; updatedFrom: string } {
  const createdBefore = new Date(`${issueDate}T00:00:00.000Z`);
  createdBefore.setUTCDate(createdBefore.getUTCDate() + 2);
  const updatedFrom = new Date(`${issueDate}T00:00:00.000Z`);
  updatedFrom.setUTCMonth(updatedFrom.getUTCMonth() - oldestMonths);
  return { createdBefore: createdBefore.toISOString(), updatedFrom: updatedFrom.toISOString() };
}
