import { purchaseChanged, purchaseFileAttached } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { PurchaseProjection } from './purchase-projection.ts';

/** What the purchase service handed over, once more: it also arrives where a hand-over failed, or had no caller. */
export function purchaseSubscriptions(purchases: PurchaseProjection): Subscription[] {
  return [
    on(purchaseChanged, ({ data }) => purchases.applyEvent(data.purchase)),
    on(purchaseFileAttached, ({ data }) => purchases.attachFileFromEvent(data.document)),
  ];
}
