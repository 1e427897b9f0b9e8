import type { AttachedFile, PurchaseKind, PurchaseSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';

/** A purchase document as it is stored (spec section 2.2). */
export type Purchase = {
  _id: string;
  /** One more with each change. */
  version: number;
  ticket_id: string;
  /** Which of the buyer's places on the ticket it holds while it is live, from 0. */
  place: number;
  /** The ticket's number and title when the document was issued, for what is told of it later. */
  ticket: { number: string; title: string };
  kind: PurchaseKind;
  buyer_company_id: string;
  supplier_company_id: string | null;
  /** The contractor that it is frozen to, in the client's directory; it may have no account yet. Null: none so far. */
  contractor_id: string | null;
  /** The version of the ticket as of which that is known: an assignment before it has no say any more. */
  assignment_version: number;
  reference: string;
  source_system: string | null;
  quote_id: string | null;
  purchase_order_id: string | null;
  date: Date;
  amount: number | null;
  document_id: string | null;
  s3_key: string | null;
  from_api: boolean;
  created_at: Date;
  created_by: string;
  updated_at: Date;
  updated_by: string;
  deleted: boolean;
};

/** Live documents of a buyer on a ticket (spec section 8). */
export const slotsPerBuyer = 200;

/** What makes a live document the same (spec section 4.2). */
export type PurchaseKey = Pick<Purchase, 'ticket_id' | 'buyer_company_id' | 'kind' | 'reference'>;

/** What a buyer may write; in a change, only what is sent. */
export type PurchaseInput = Pick<
  Purchase,
  'reference' | 'source_system' | 'quote_id' | 'purchase_order_id' | 'date' | 'amount'
>;

/** A stored file that belongs to a document. */
export type PurchaseFile = AttachedFile['file'];

/** The document as it is now, for other services. */
export function purchaseSnapshot(purchase: Purchase): PurchaseSnapshot {
  const { _id, place, contractor_id, assignment_version, ticket, ...facts } = purchase;
  const { date, created_at, updated_at } = facts;
  return {
    ...facts,
    id: _id,
    date: date.toISOString(),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** The document as its buyer reads it in answers. */
export function purchaseView(purchase: Purchase, editable: boolean) {
  const { version, s3_key, deleted, ...view } = purchaseSnapshot(purchase);
  return { ...view, editable };
}

/**
 * Whether a company sees the document: its buyer, and the supplier that an order is addressed to.
 */
export function isVisibleTo(purchase: Purchase, companyId: string): boolean {
  const { buyer_company_id, supplier_company_id, kind } = purchase;
  return companyId === buyer_company_id || (companyId === supplier_company_id && kind === 'purchase_order');
}

/** Longer than a request takes from its write to its answer, with room for clocks that differ. */
const answeredWithinMs = 15_000;

/**
 * True for a document whose writer may not have looked yet to whom its ticket was assigned meanwhile: it is still at it, or
 * died. Whoever answers with it then looks too.
 */
export function isJustWritten({ updated_at }: Purchase, now: Date): boolean {
  return now.getTime() - updated_at.getTime() < answeredWithinMs;
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
