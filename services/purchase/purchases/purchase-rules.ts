import {
  type AttachedFile,
  type Caller,
  type NewEvent,
  purchaseChanged,
  purchaseFileAttached,
  ticketPurchaseAdded,
} from '@app/contracts';
import { type Accounts, type Assignment, type Assignments, supplierAfter } from '../assignments/assignment.ts';
import type { TicketContext } from '../tickets/ticket-context.ts';
import {
  type Purchase,
  type PurchaseFile,
  type PurchaseInput,
  type PurchaseKey,
  purchaseSnapshot,
} from './purchase.ts';

/** What a rule decides: the document as it shall be, and what happened. The same document: nothing changes. */
export type Decision = { purchase: Purchase; events: NewEvent[] };

/** Who changes a document, and when. */
export type Act = { by: string; at: Date };

export type Draft = {
  id: string;
  place: number;
  name: PurchaseKey;
  /** Without a date it is that of the making. */
  input: Omit<PurchaseInput, 'reference' | 'date'> & { date?: Date };
  context: TicketContext;
  supplier: Assignment;
  caller: Caller;
};

/** A new document. The buyer hears of it, and the supplier if it is an order (design section 8). */
export function newPurchase({ id, place, name, input, context, supplier, caller }: Draft, now: Date): Decision {
  const { number, title } = context.ticket;
  const purchase: Purchase = {
    _id: id,
    version: 1,
    ...name,
    place,
    ticket: { number, title },
    supplier_company_id: supplier.company_id,
    contractor_id: supplier.contractor_id,
    assignment_version: supplier.version,
    ...input,
    date: input.date ?? now,
    document_id: null,
    s3_key: null,
    from_api: caller.via === 'token',
    created_at: now,
    created_by: caller.userId,
    updated_at: now,
    updated_by: caller.userId,
    deleted: false,
  };
  const audience = [purchase.buyer_company_id, ...supplierHearing(purchase)];
  return { purchase, events: [added(purchase, audience, now), changed(purchase, now)] };
}

/** Only what is sent; where nothing of it differs, nothing changes. */
export function amend(purchase: Purchase, input: Partial<PurchaseInput>, { by, at }: Act): Decision {
  const differs = Object.entries(input).some(([name, value]) => !isSame(value, purchase[name as keyof PurchaseInput]));
  return differs ? next(purchase, { ...input, updated_by: by }, at) : { purchase, events: [] };
}

/** The document is live no more; its reference and its place are free. */
export function remove(purchase: Purchase, { by, at }: Act): Decision {
  return next(purchase, { deleted: true, updated_by: by }, at);
}

/** The file takes the place of the one before, which stays in the ticket's Documents tab. */
export function attach(
  purchase: Purchase,
  { id, file }: { id: string; file: PurchaseFile },
  { by, at }: Act,
): Decision & { document: AttachedFile } {
  const decision = next(purchase, { document_id: id, s3_key: file.key, updated_by: by }, at);
  const { _id, ticket_id, kind, buyer_company_id, supplier_company_id } = decision.purchase;
  const document: AttachedFile = {
    id,
    ticket_id,
    purchase_id: _id,
    kind,
    buyer_company_id,
    supplier_company_id,
    added_at: at.toISOString(),
    file,
  };
  return { ...decision, events: [...decision.events, purchaseFileAttached({ document }, at, _id)], document };
}

/** What was heard of whom a document's ticket went to. */
export type KnownAssignments = { assignments: Assignments; accounts: Accounts };

/**
 * The ticket was assigned: a document issued before is the contractor's from now on, one that has a contractor keeps it. For
 * the supplier of an order the moment at which it is named is that at which the order appears, so that it alone is told then.
 */
export function assignSupplier(purchase: Purchase, heard: KnownAssignments, now: Date): Decision {
  // What was written before contractors were kept has none.
  const { supplier_company_id, contractor_id = null, assignment_version, buyer_company_id, deleted } = purchase;
  const unchanged = { purchase, events: [] };
  if (deleted || supplier_company_id !== null) return unchanged;
  const known = { version: assignment_version, contractor_id, company_id: null };
  const { version, ...addressee } = supplierAfter(known, heard, buyer_company_id);
  const change = {
    contractor_id: addressee.contractor_id,
    supplier_company_id: addressee.company_id,
    assignment_version: version,
  };
  if (addressee.company_id === null) {
    // Nothing that anybody reads: it is kept for the assignments to come, and told to nobody.
    const frozen = { ...purchase, ...change, version: purchase.version + 1 };
    return contractor_id === addressee.contractor_id ? unchanged : { purchase: frozen, events: [] };
  }
  const decision = next(purchase, change, now);
  const hearing = supplierHearing(decision.purchase);
  return hearing.length === 0
    ? decision
    : { ...decision, events: [added(decision.purchase, hearing, now), ...decision.events] };
}

function next(purchase: Purchase, change: Partial<Purchase>, now: Date): Decision {
  const after = { ...purchase, ...change, version: purchase.version + 1, updated_at: now };
  return { purchase: after, events: [changed(after, now)] };
}

function changed(purchase: Purchase, now: Date): NewEvent {
  return purchaseChanged({ purchase: purchaseSnapshot(purchase) }, now, purchase._id);
}

function supplierHearing({ kind, supplier_company_id }: Purchase): string[] {
  return kind === 'purchase_order' && supplier_company_id !== null ? [supplier_company_id] : [];
}

function added(purchase: Purchase, audience: string[], now: Date): NewEvent {
  const { ticket_id, version, document_id, s3_key, from_api, deleted, ...facts } = purchaseSnapshot(purchase);
  const { created_by, updated_at, updated_by, ...told } = facts;
  const ticket = { id: ticket_id, ...purchase.ticket };
  return ticketPurchaseAdded({ audience, payload: { ticket, purchase: told } }, now, ticket_id);
}

function isSame(a: Date | string | number | null | undefined, b: Date | string | number | null): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
