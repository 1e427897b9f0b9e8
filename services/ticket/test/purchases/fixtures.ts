import { type AttachedFile, type PurchaseSnapshot, purchaseChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture } from '@app/testing';

type Parties = { ticket: string; buyer: string; supplier?: string | null };

/** A purchase order from the API, without file. */
export function aPurchase(
  { ticket, buyer, supplier = null }: Parties,
  given: Partial<PurchaseSnapshot> = {},
): PurchaseSnapshot {
  return {
    ...eventFixture(purchaseChanged).data.purchase,
    id: newId(),
    ticket_id: ticket,
    version: 1,
    quote_id: null,
    document_id: null,
    s3_key: null,
    buyer_company_id: buyer,
    supplier_company_id: supplier,
    created_by: newId(),
    updated_by: newId(),
    ...given,
  };
}

/** A file of that purchase document, and the document as it is with it. */
export function withFile(purchase: PurchaseSnapshot): { purchase: PurchaseSnapshot; document: AttachedFile } {
  const [id, key] = [newId(), `key-${newId()}`];
  const { kind, ticket_id, buyer_company_id, supplier_company_id } = purchase;
  return {
    purchase: { ...purchase, version: purchase.version + 1, document_id: id, s3_key: key },
    document: {
      id,
      ticket_id,
      purchase_id: purchase.id,
      kind,
      buyer_company_id,
      supplier_company_id,
      added_at: '2026-11-20T15:00:00.000Z',
      file: { key, name: 'commande.pdf', type: 'application/pdf', size: 48213, hash: 'a'.repeat(64) },
    },
  };
}
