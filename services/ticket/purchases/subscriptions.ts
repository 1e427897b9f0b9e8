import { purchaseChanged, purchaseFileAttached } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { PurchaseProjection } from './purchase-projection.ts';

/** Snapshots that were pushed come by event once more; so do those whose push failed, or that had no caller to push them. */
export function purchaseSubscriptions(purchases: PurchaseProjection): Subscription[] {
  return [
    on(purchaseChanged, ({ data }) => purchases.applyEvent(data.purchase)),
    on(purchaseFileAttached, ({ data }) => purchases.attachFileFromEvent(data.document)),
  ];
}
