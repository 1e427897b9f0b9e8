import {
  contractorLinked,
  type DomainEvent,
  purchaseChanged,
  type SnapshotsRequested,
  snapshotsRequested,
  ticketAssigned,
} from '@app/contracts';
import { type Broker, on, type Subscription, toCloudEvents } from '@app/messaging';
import { purchaseSnapshot } from './purchases/purchase.ts';
import type { PurchaseStore } from './purchases/purchase-store.ts';
import type { SupplierAssignment } from './purchases/supplier-assignment.ts';

type Deps = {
  purchases: PurchaseStore;
  supplierAssignment: Pick<SupplierAssignment, 'onAssigned' | 'onLinked'>;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

/** The subscriptions of the purchase service, by queue. Each handler is idempotent. */
export function subscriptions(deps: Deps): Record<string, Subscription[]> {
  const { supplierAssignment } = deps;
  return {
    assignments: [on(ticketAssigned, ({ data, time }) => supplierAssignment.onAssigned(data, new Date(time)))],
    'contractor-links': [on(contractorLinked, ({ data, time }) => supplierAssignment.onLinked(data, new Date(time)))],
    'snapshot-requests': [on(snapshotsRequested, (event) => publishSnapshots(deps, event))],
  };
}

/** Publishes the snapshots of a page of documents again, then a request for the next page. */
async function publishSnapshots(
  { purchases, broker, now }: Deps,
  { data }: DomainEvent<SnapshotsRequested>,
): Promise<void> {
  if (data.kind !== 'purchases') return;
  const { found, next } = await purchases.page(data.after);
  const at = now();
  const events = found.map((purchase) => purchaseChanged({ purchase: purchaseSnapshot(purchase) }, at, purchase._id));
  await broker.publish(toCloudEvents('purchase', events));
  if (next === null) return;
  await broker.publish(toCloudEvents('purchase', [snapshotsRequested({ ...data, after: next }, at)]));
}
