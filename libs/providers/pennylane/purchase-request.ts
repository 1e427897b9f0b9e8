import { reference } from '../parsing/fields.ts';
import type { Json } from '../parsing/json.ts';

/** The order number of a purchase request of Pennylane. */
export function numberOf(purchaseRequest: Json): string | null {
  return reference(purchaseRequest['purchase_order_number']) ?? reference(purchaseRequest['number']);
}
