import type { PurchaseKind, PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import { referenceKeys } from './references.ts';

export const knownReferenceKinds = ['order', 'quote', 'request', 'receipt', 'number', 'id', 'contract'] as const;
export type KnownReferenceKind = (typeof knownReferenceKinds)[number];

/** A reference of a ticket or of one of its quotes, purchase documents and contracts; `order` is the purchase order's id. */
export type KnownReference = { kind: KnownReferenceKind; text: string; order: string | null };

/** A reference with its normalized forms. A store keeps them with the ticket, because each ticket is compared with many invoices. */
export type IndexedReference = KnownReference & { forms: readonly string[] };

/** What matching reads of a purchase document. */
export type MatchPurchase = Pick<
  PurchaseSnapshot,
  'id' | 'kind' | 'reference' | 'amount' | 'includes_vat' | 'deleted' | 'purchase_order_id'
>;

const kinds: Record<PurchaseKind, KnownReferenceKind> = {
  purchase_order: 'order',
  purchase_request: 'request',
  goods_receipt: 'receipt',
};

/** References of the ticket itself: number, id, quotes, maintenance contract. */
export function ticketReferences({ id, number, maintenance, quotes }: TicketSnapshot): KnownReference[] {
  return [
    { kind: 'number', text: number, order: null },
    { kind: 'id', text: id, order: null },
    ...quotes.map(({ reference }): KnownReference => ({ kind: 'quote', text: reference, order: null })),
    ...(maintenance === null ? [] : [{ kind: 'contract', text: maintenance, order: null } as const]),
  ];
}

/** The reference of a purchase document; a deleted one has none. */
export function purchaseReferences(purchase: MatchPurchase): KnownReference[] {
  const { id, kind, reference, deleted, purchase_order_id } = purchase;
  if (deleted) return [];
  return [{ kind: kinds[kind], text: reference, order: kind === 'purchase_order' ? id : purchase_order_id }];
}

/** All references of a ticket and its purchase documents, the ticket's own first. */
export function knownReferences(ticket: TicketSnapshot, purchases: readonly MatchPurchase[]): IndexedReference[] {
  return [...ticketReferences(ticket), ...purchases.flatMap(purchaseReferences)].map((reference) => ({
    ...reference,
    forms: reference.kind === 'id' ? [reference.text.toUpperCase()] : referenceKeys(reference.text),
  }));
}
