import {
  type AttachedFile,
  type Caller,
  isSharedWithSupplier,
  type NewEvent,
  purchaseChanged,
  purchaseFileAttached,
  ticketPurchaseAdded,
} from '@app/contracts';
import { type Accounts, type Assignment, type Assignments, supplierAfter } from '../assignments/assignment.ts';
import type { TicketContext } from '../tickets/ticket-context.ts';
import {
  attachedFile,
  type Purchase,
  type PurchaseFile,
  type PurchaseInput,
  type PurchaseKey,
  purchaseSnapshot,
} from './purchase.ts';

/** What a rule decides: the new document and its events. If `purchase` is the same object, nothing changes. */
export type Decision = { purchase: Purchase; events: NewEvent[] };

/** Who changes a document, and when. */
export type Act = { by: string; at: Date };

export type Draft = {
  id: string;
  slot: number;
  key: PurchaseKey;
  /** The date defaults to the time of creation. */
  input: Omit<PurchaseInput, 'reference' | 'date'> & { date?: Date };
  context: TicketContext;
  supplier: Assignment;
  caller: Caller;
};

/** A new document, with events for the buyer and the supplier of an order. */
export function newPurchase({ id, slot, key, input, context, supplier, caller }: Draft, now: Date): Decision {
  const { number, title } = context.ticket;
  const purchase: Purchase = {
    _id: id,
    version: 1,
    ...key,
    slot,
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
  const audience = [purchase.buyer_company_id, ...notifiedSupplier(purchase)];
  return { purchase, events: [addedEvent(purchase, audience, now), changedEvent(purchase, now)] };
}

/** Changes the fields sent. If none of them differs, nothing changes. */
export function amend(purchase: Purchase, input: Partial<PurchaseInput>, { by, at }: Act): Decision {
  const differs = Object.entries(input).some(([name, value]) => !isSame(value, purchase[name as keyof PurchaseInput]));
  return differs ? next(purchase, { ...input, updated_by: by }, at) : { purchase, events: [] };
}

/** Deletes the document, which frees its reference and its slot. */
export function remove(purchase: Purchase, { by, at }: Act): Decision {
  return next(purchase, { deleted: true, updated_by: by }, at);
}

/** Attaches a file. It replaces the one before, which stays in the ticket's Documents tab. */
export function attach(
  purchase: Purchase,
  { id, file }: { id: string; file: PurchaseFile },
  { by, at }: Act,
): Decision & { document: AttachedFile } {
  const decision = next(purchase, { document_id: id, s3_key: file.key, attached: { file, at }, updated_by: by }, at);
  const document = attachedFile(decision.purchase) as AttachedFile;
  return { ...decision, events: [...decision.events, purchaseFileAttached({ document }, at, purchase._id)], document };
}

/** What is known of the contractors of a document's ticket. */
export type KnownAssignments = { assignments: Assignments; accounts: Accounts };

/**
 * Sets the contractor and the supplier of a document created before its ticket was assigned; a document keeps a contractor it
 * has. The supplier of an order is named when the order appears for it, so only then, and only it, gets the "added" event.
 */
export function assignSupplier(purchase: Purchase, assignments: KnownAssignments, now: Date): Decision {
  const { supplier_company_id, contractor_id, assignment_version, buyer_company_id, deleted } = purchase;
  const unchanged = { purchase, events: [] };
  if (deleted || supplier_company_id !== null) return unchanged;
  const known = { version: assignment_version, contractor_id, company_id: null };
  const { version, ...supplier } = supplierAfter(known, assignments, buyer_company_id);
  const change = {
    contractor_id: supplier.contractor_id,
    supplier_company_id: supplier.company_id,
    assignment_version: version,
  };
  if (supplier.company_id === null && contractor_id === supplier.contractor_id) return unchanged;
  const decision = next(purchase, change, now);
  const audience = notifiedSupplier(decision.purchase);
  return audience.length === 0
    ? decision
    : { ...decision, events: [addedEvent(decision.purchase, audience, now), ...decision.events] };
}

function next(purchase: Purchase, change: Partial<Purchase>, now: Date): Decision {
  const after = { ...purchase, ...change, version: purchase.version + 1, updated_at: now };
  return { purchase: after, events: [changedEvent(after, now)] };
}

function changedEvent(purchase: Purchase, now: Date): NewEvent {
  return purchaseChanged({ purchase: purchaseSnapshot(purchase) }, now, purchase._id);
}

function notifiedSupplier({ kind, supplier_company_id }: Purchase): string[] {
  return isSharedWithSupplier(kind) && supplier_company_id !== null ? [supplier_company_id] : [];
}

function addedEvent(purchase: Purchase, audience: string[], now: Date): NewEvent {
  const { ticket_id, version, document_id, s3_key, from_api, deleted, ...rest } = purchaseSnapshot(purchase);
  const { created_by, updated_at, updated_by, ...added } = rest;
  const ticket = { id: ticket_id, ...purchase.ticket };
  return ticketPurchaseAdded({ audience, payload: { ticket, purchase: added } }, now, ticket_id);
}

type Value = PurchaseInput[keyof PurchaseInput];

function isSame(a: Value | undefined, b: Value): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
