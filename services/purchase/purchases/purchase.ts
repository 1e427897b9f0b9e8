import { type AttachedFile, isSharedWithSupplier, type PurchaseKind, type PurchaseSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';

/** A purchase document as it is stored (docs/purchases.md). */
export type Purchase = {
  _id: string;
  /** Incremented by each change. */
  version: number;
  ticket_id: string;
  /**
   * One of the buyer's slots on the ticket, counted from 0, taken while the document is live. A
   * unique index on it bounds the number of live documents.
   */
  slot: number;
  /** The ticket's number and title when the document was created, for its events. */
  ticket: { number: string; title: string };
  kind: PurchaseKind;
  buyer_company_id: string;
  supplier_company_id: string | null;
  /** The contractor in the client's directory that it is assigned to for good; it may have no account yet. Null: none so far. */
  contractor_id: string | null;
  /** The version of the ticket at which that was known: earlier assignments no longer count. */
  assignment_version: number;
  reference: string;
  source_system: string | null;
  quote_id: string | null;
  purchase_order_id: string | null;
  date: Date;
  amount: number | null;
  /** Whether `amount` is with VAT. */
  includes_vat: boolean;
  document_id: string | null;
  s3_key: string | null;
  /** The current file as it was published to the ticket service; absent without one. */
  attached?: { file: PurchaseFile; at: Date };
  from_api: boolean;
  created_at: Date;
  created_by: string;
  updated_at: Date;
  updated_by: string;
  deleted: boolean;
};

/** The limit of live documents of a buyer on a ticket. */
export const slotsPerBuyer = 200;

/** The unique key of a live document. */
export type PurchaseKey = Pick<Purchase, 'ticket_id' | 'buyer_company_id' | 'kind' | 'reference'>;

/** What a buyer may write; in a change, only what is sent. */
export type PurchaseInput = Pick<
  Purchase,
  'reference' | 'source_system' | 'quote_id' | 'purchase_order_id' | 'date' | 'amount' | 'includes_vat'
>;

/** A stored file that belongs to a document. */
export type PurchaseFile = AttachedFile['file'];

/** The document at its version as other services keep it in their projections. */
export function purchaseSnapshot(purchase: Purchase): PurchaseSnapshot {
  const { _id, slot, contractor_id, assignment_version, ticket, attached, ...snapshot } = purchase;
  const { date, created_at, updated_at } = snapshot;
  return {
    ...snapshot,
    supplier_contractor_id: contractor_id,
    id: _id,
    date: date.toISOString(),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** Its current file as other services get it; null without one. */
export function attachedFile(purchase: Purchase): AttachedFile | null {
  const { _id: purchase_id, ticket_id, kind, buyer_company_id, supplier_company_id, document_id, attached } = purchase;
  if (attached === undefined || document_id === null) return null;
  const { file, at } = attached;
  const added_at = at.toISOString();
  return { id: document_id, ticket_id, purchase_id, kind, buyer_company_id, supplier_company_id, added_at, file };
}

/** The document in a reply to its buyer. */
export function purchaseResponse(purchase: Purchase, editable: boolean) {
  const { version, s3_key, deleted, ...view } = purchaseSnapshot(purchase);
  return { ...view, editable };
}

/** Whether a company sees the document: its buyer does, and the supplier if it is shared. */
export function isVisibleTo(purchase: Purchase, companyId: string): boolean {
  const { buyer_company_id, supplier_company_id, kind } = purchase;
  return companyId === buyer_company_id || (companyId === supplier_company_id && isSharedWithSupplier(kind));
}

/** Longer than a request takes from its write to its reply, with room for clocks that differ. */
const repliedWithinMs = 15_000;

/**
 * True if the request that wrote the document may still have to check for assignments since: it is still running, or its
 * process died. Whoever replies with the document then checks too.
 */
export function isJustWritten({ updated_at }: Purchase, now: Date): boolean {
  return now.getTime() - updated_at.getTime() < repliedWithinMs;
}

/** A supplier may read an order and not write it. @throws AppError forbidden `purchase_no_access` */
export function permitBuyer(purchase: Purchase, companyId: string): void {
  if (purchase.buyer_company_id === companyId) return;
  throw new AppError('forbidden', 'purchase_no_access', 'only the buyer can change its purchase document');
}

/** @throws AppError unprocessable `purchase_order_link_only_on_goods_receipt` */
export function permitOrderLink(kind: PurchaseKind): void {
  if (kind === 'goods_receipt') return;
  const message = 'purchase_order_id is for goods receipts alone';
  throw new AppError('unprocessable', 'purchase_order_link_only_on_goods_receipt', message);
}

export function purchaseNotFound(): AppError {
  return new AppError('not_found', 'purchase_not_found', 'this ticket has no such purchase document');
}

export function orderNotFound(): AppError {
  const message = 'purchase_order_id is none of your purchase orders on this ticket';
  return new AppError('unprocessable', 'purchase_order_not_found', message);
}

export function tooMany(limit: number): AppError {
  return new AppError('unprocessable', 'purchase_too_many', `you have ${limit} purchase documents on this ticket`);
}

export function duplicateReference(): AppError {
  const message = 'another of your documents of this kind on the ticket has this reference';
  return new AppError('conflict', 'purchase_duplicate_reference', message);
}

export function receiptExists(): AppError {
  const message = 'this purchase order already has a goods receipt';
  return new AppError('conflict', 'purchase_goods_receipt_already_exists', message);
}
