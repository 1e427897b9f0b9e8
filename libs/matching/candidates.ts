import type { CanonicalInvoice, TicketSnapshot, ViewSnapshot } from '@app/contracts';
import { isId } from '@app/kernel';
import type { CandidateLookup, MatchKeys, SupplierMatch } from './matching.ts';
import { cents } from './money.ts';
import { type MatchPurchase, purchaseReferences, ticketReferences } from './references/known-references.ts';
import { referenceMentions } from './references/reference-mentions.ts';
import { isSpecific, referenceKeys } from './references/references.ts';

const excludedStatuses = ['draft', 'canceled', 'removed'] as const;
const maxCandidates = 200;
const maxKeys = 300;
const maxAgeMonths = 18;
/** A contractor may have several views of a ticket; the one whose state stands first is taken. */
const viewStates = ['active', 'pending', 'canceled', 'declined'];
const equalCents = [-2, -1, 0, 1, 2];

/** What a ticket is found by, without its purchase documents. */
export function ticketKeys(ticket: TicketSnapshot): MatchKeys {
  const references = ticketReferences(ticket).filter(({ kind }) => kind !== 'id');
  return {
    keys: [...new Set(references.flatMap(({ text }) => referenceKeys(text)))],
    cents: ticket.quotes.filter(({ status }) => status === 'validated').map(({ price }) => cents(Number(price))),
  };
}

/** What a ticket is found by through one of its purchase documents; nothing for a deleted one. */
export function purchaseKeys(purchase: MatchPurchase): MatchKeys {
  const { kind, amount, deleted } = purchase;
  const isOrder = kind === 'purchase_order' && !deleted;
  return {
    keys: [...new Set(purchaseReferences(purchase).flatMap(({ text }) => referenceKeys(text)))],
    cents: isOrder && amount !== null ? [cents(amount)] : [],
  };
}

/** Where to look for the tickets of an invoice. */
export function candidateLookup(invoice: CanonicalInvoice, supplier: SupplierMatch): CandidateLookup {
  const isKnown = supplier.contractorIds.length > 0;
  const spans = referenceMentions(invoice).flatMap((mention) => mention.spans);
  const forms = new Set([...spans.flatMap((span) => span.forms), ...spans.flatMap((span) => span.orderForms)]);
  const { ht, ttc } = invoice.amounts;
  return {
    keys: [...forms].filter((form) => isKnown || isSpecific(form)).slice(0, maxKeys),
    ticketIds: [...new Set(spans.map(({ text }) => text.toLowerCase()).filter(isId))],
    contractorIds: supplier.contractorIds,
    cents: [...new Set([ht, ttc].flatMap((amount) => equalCents.map((difference) => cents(amount) + difference)))],
    ...dateRangeOf(invoice),
    excludedStatuses,
    limit: maxCandidates,
  };
}

/** A predicate: whether a ticket's status and dates allow the invoice. */
export function isWithinDates(invoice: CanonicalInvoice): (ticket: TicketSnapshot) => boolean {
  const { createdBefore, updatedFrom } = dateRangeOf(invoice);
  return ({ status, created_at, updated_at }) =>
    !excludedStatuses.some((excluded) => excluded === status) &&
    created_at < createdBefore &&
    updated_at >= updatedFrom;
}

/** The view for the invoice: the supplier's; for an unknown supplier that of the ticket's contractor, else the client's. */
export function viewFor(ticket: TicketSnapshot, supplier: SupplierMatch): ViewSnapshot | null {
  const { contractorIds } = supplier;
  const isKnown = contractorIds.length > 0;
  const views = ticket.views
    .filter((view) => (isKnown ? contractorIds.includes(view.contractor_id ?? '') : view.state === 'active'))
    .sort((one, other) => viewStates.indexOf(one.state) - viewStates.indexOf(other.state));
  return views[0] ?? (isKnown ? null : (ticket.views.find(({ role }) => role === 'client') ?? null));
}

/** Created on the day after issue at the latest, updated in the 18 months before issue; days in UTC. */
function dateRangeOf({ issueDate }: CanonicalInvoice): { createdBefore: string; updatedFrom: string } {
  const createdBefore = new Date(`${issueDate}T00:00:00.000Z`);
  createdBefore.setUTCDate(createdBefore.getUTCDate() + 2);
  const updatedFrom = new Date(`${issueDate}T00:00:00.000Z`);
  updatedFrom.setUTCMonth(updatedFrom.getUTCMonth() - maxAgeMonths);
  return { createdBefore: createdBefore.toISOString(), updatedFrom: updatedFrom.toISOString() };
}
