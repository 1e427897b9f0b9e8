import type { PurchaseSnapshot } from '@app/contracts';

type Given = Pick<PurchaseSnapshot, 'id' | 'ticket_id' | 'buyer_company_id' | 'kind' | 'reference' | 'amount'> & {
  at: string;
};

/** The first version of a purchase document, made by its buyer, of which nothing else is known. */
export function purchaseSnapshot({ at, ...given }: Given): PurchaseSnapshot {
  return {
    ...given,
    version: 1,
    source_system: null,
    quote_id: null,
    purchase_order_id: null,
    date: at,
    includes_vat: false,
    supplier_company_id: null,
    supplier_contractor_id: null,
    document_id: null,
    s3_key: null,
    from_api: true,
    deleted: false,
    created_by: given.buyer_company_id,
    updated_by: given.buyer_company_id,
    created_at: at,
    updated_at: at,
  };
}
