import { reference } from '../fields.ts';
import type { Json } from '../json.ts';

/** The number of the order that a purchase request of Pennylane stands for. */
export function numberOf(purchaseRequest: Json): string | null {
  return reference(purchaseRequest['purchase_order_number']) ?? reference(purchaseRequest['number']);
}
