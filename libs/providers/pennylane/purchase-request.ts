import { type Json, text } from '../json.ts';

/** The number of the order that a purchase request of Pennylane stands for. */
export function numberOf(purchaseRequest: Json): string | null {
  return text(purchaseRequest['purchase_order_number']) ?? text(purchaseRequest['number']);
}
