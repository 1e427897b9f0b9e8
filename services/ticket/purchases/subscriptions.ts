import { purchaseChanged, purchaseFileAttached } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { PurchaseKeeper } from './keep-purchase.ts';

/** What the purchase service handed over, once more: it also arrives where a hand-over failed, or had no caller. */
export function purchaseSubscriptions(purchases: PurchaseKeeper): Subscription[] {
  return [
    on(purchaseChanged, ({ data }) => purchases.keepFromEvent(data.purchase)),
    on(purchaseFileAttached, ({ data }) => purchases.attachFromEvent(data.document)),
  ];
}
