import type { PurchaseKind, TicketSnapshot } from '@app/contracts';
import type { MatchPurchase } from './matching.ts';
import { referenceKeys } from './references.ts';

export type HeldKind = 'order' | 'quote' | 'request' | 'receipt' | 'number' | 'id' | 'contract';

/** A reference that a ticket, or what hangs on it, is known by; `order` is the purchase order's id. */
export type Held = { kind: HeldKind; text: string; order: string | null };

/** With the forms in which it is compared: a store keeps them beside the ticket, which is looked at for invoice after invoice. */
export type HeldForms = Held & { forms: readonly string[] };

const kinds: Record<PurchaseKind, HeldKind> = {
  purchase_order: 'order',
  purchase_request: 'request',
  goods_receipt: 'receipt',
};

export function heldByTicket({ id, number, maintenance, quotes }: TicketSnapshot): Held[] {
  return [
    { kind: 'number', text: number, order: null },
    { kind: 'id', text: id, order: null },
    ...quotes.map(({ reference }): Held => ({ kind: 'quote', text: reference, order: null })),
    ...(maintenance === null ? [] : [{ kind: 'contract', text: maintenance, order: null } as const]),
  ];
}

export function heldByPurchase({ id, kind, reference, deleted, purchase_order_id }: MatchPurchase): Held[] {
  if (deleted) return [];
  return [{ kind: kinds[kind], text: reference, order: kind === 'purchase_order' ? id : purchase_order_id }];
}

/** Everything that a ticket is known by, itself first. */
export function heldBy(ticket: TicketSnapshot, purchases: readonly MatchPurchase[]): HeldForms[] {
  return [...heldByTicket(ticket), ...purchases.flatMap(heldByPurchase)].map((held) => ({
    ...held,
    forms: held.kind === 'id' ? [held.text.toUpperCase()] : referenceKeys(held.text),
  }));
}
