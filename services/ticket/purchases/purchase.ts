import { isSharedWithSupplier, type PurchaseSnapshot } from '@app/contracts';
import type { Status } from '../tickets/ticket.ts';

/**
 * A purchase document as tickets show it, projected from the snapshots that the purchase service pushes and publishes. Dates
 * and amounts are stored as they came. `seen_by`: the companies that see it; empty once it is deleted. `lost`: nobody deleted
 * it, the purchase service lost it by a restore.
 */
export type Purchase = Omit<PurchaseSnapshot, 'id'> & { _id: string; seen_by: string[]; lost?: boolean };

/** Copies named fields only, so that nothing a newer purchase service adds is stored unseen. */
export function projectedPurchase(snapshot: PurchaseSnapshot): Purchase {
  return {
    _id: snapshot.id,
    ticket_id: snapshot.ticket_id,
    version: snapshot.version,
    kind: snapshot.kind,
    buyer_company_id: snapshot.buyer_company_id,
    supplier_company_id: snapshot.supplier_company_id,
    supplier_contractor_id: snapshot.supplier_contractor_id,
    reference: snapshot.reference,
    source_system: snapshot.source_system,
    quote_id: snapshot.quote_id,
    purchase_order_id: snapshot.purchase_order_id,
    date: snapshot.date,
    amount: snapshot.amount,
    includes_vat: snapshot.includes_vat,
    document_id: snapshot.document_id,
    s3_key: snapshot.s3_key,
    from_api: snapshot.from_api,
    created_at: snapshot.created_at,
    updated_at: snapshot.updated_at,
    created_by: snapshot.created_by,
    updated_by: snapshot.updated_by,
    deleted: snapshot.deleted,
    seen_by: seenBy(snapshot),
  };
}

/**
 * Its buyer sees it, and the supplier if it is shared; nobody sees a deleted one. The result is
 * stored, and a snapshot of a stored version is ignored: if this rule changes, stored documents
 * need a migration.
 */
function seenBy(snapshot: PurchaseSnapshot): string[] {
  return snapshot.deleted ? [] : partiesOf(snapshot);
}

/** The companies that see the document, or saw it before it was deleted. */
export function partiesOf(purchase: Pick<PurchaseSnapshot, 'buyer_company_id' | SharedBy>): string[] {
  const supplier = sharedSupplierOf(purchase);
  return supplier === null ? [purchase.buyer_company_id] : [purchase.buyer_company_id, supplier];
}

type SharedBy = 'kind' | 'supplier_company_id';

/** The supplier that the document is shared with; null if it stays with the buyer. */
export function sharedSupplierOf({ kind, supplier_company_id }: Pick<PurchaseSnapshot, SharedBy>): string | null {
  return isSharedWithSupplier(kind) ? supplier_company_id : null;
}

/** In these statuses of the buyer's view, purchase documents can't be changed. */
const closedToPurchases: readonly Status[] = ['draft', 'canceled', 'declined', 'removed'];

/** An item of `purchases[]` of a ticket; `status` is that of the reader's view. */
export function purchaseResponse(purchase: Purchase, { companyId, status }: { companyId: string; status: Status }) {
  const { seen_by: _, deleted: __, version: ___, lost: ____, ...shown } = purchase;
  return {
    ...shown,
    editable: purchase.buyer_company_id === companyId && !closedToPurchases.includes(status),
    source: purchase.from_api ? 'api' : 'app',
  };
}
