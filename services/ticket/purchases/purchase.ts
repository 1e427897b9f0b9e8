import type { PurchaseSnapshot } from '@app/contracts';
import type { Status } from '../tickets/ticket.ts';

/**
 * A copy of a purchase document, kept from what the purchase service hands over and from its events. Dates and amounts as
 * they came. `seen_by`: the companies to which it is shown, empty once it is deleted.
 */
export type Purchase = Omit<PurchaseSnapshot, 'id'> & { _id: string; seen_by: string[] };

/** Named fields only, so that what a newer purchase service adds never lands here unseen. */
export function projectedPurchase(facts: PurchaseSnapshot): Purchase {
  return {
    _id: facts.id,
    ticket_id: facts.ticket_id,
    version: facts.version,
    kind: facts.kind,
    buyer_company_id: facts.buyer_company_id,
    supplier_company_id: facts.supplier_company_id,
    reference: facts.reference,
    source_system: facts.source_system,
    quote_id: facts.quote_id,
    purchase_order_id: facts.purchase_order_id,
    date: facts.date,
    amount: facts.amount,
    document_id: facts.document_id,
    s3_key: facts.s3_key,
    from_api: facts.from_api,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    created_by: facts.created_by,
    updated_by: facts.updated_by,
    deleted: facts.deleted,
    seen_by: seenBy(facts),
  };
}

/** Its buyer sees it, and the supplier if it is an order (design section 8); one that is deleted nobody. */
function seenBy({ deleted, buyer_company_id, ...facts }: PurchaseSnapshot): string[] {
  if (deleted) return [];
  const supplier = supplierOfOrder(facts);
  return supplier === null ? [buyer_company_id] : [buyer_company_id, supplier];
}

/** Whom a purchase document is addressed to, if it is an order; requests and receipts stay with the buyer. */
export function supplierOfOrder({
  kind,
  supplier_company_id,
}: Pick<PurchaseSnapshot, 'kind' | 'supplier_company_id'>): string | null {
  return kind === 'purchase_order' ? supplier_company_id : null;
}

/** Where a ticket stands thus for the buyer, its purchase documents stay as they are (spec section 7, 404 and 409). */
const closedToPurchases: readonly Status[] = ['draft', 'canceled', 'declined', 'removed'];

/** As `purchases[]` of a ticket shows it (spec section 2.2); `status` is that of the reader's view. */
export function purchaseView(purchase: Purchase, { companyId, status }: { companyId: string; status: Status }) {
  const { seen_by: _, deleted: __, version: ___, ...shown } = purchase;
  return {
    ...shown,
    editable: purchase.buyer_company_id === companyId && !closedToPurchases.includes(status),
    source: purchase.from_api ? 'api' : 'app',
  };
}
