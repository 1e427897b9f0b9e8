import {
  contractorLinked,
  type DomainEvent,
  purchaseChanged,
  type SnapshotsRequested,
  snapshotsRequested,
  ticketAssigned,
} from '@app/contracts';
import { type Broker, on, type Subscription, toCloudEvents } from '@app/messaging';
import { type Purchase, purchaseSnapshot } from './purchases/purchase.ts';
import type { PurchaseStore } from './purchases/purchase-store.ts';
import type { SupplierAssignment } from './purchases/supplier-assignment.ts';

type Deps = {
  purchases: PurchaseStore;
  addressing: Pick<SupplierAssignment, 'onAssigned' | 'onLinked'>;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

const factsPerPage = 500;

/** What the purchase service listens to, by queue. Each handler does the same when it runs again. */
export function subscriptions(deps: Deps): Record<string, Subscription[]> {
  return {
    assignments: [on(ticketAssigned, ({ data, time }) => deps.addressing.onAssigned(data, new Date(time)))],
    'contractor-links': [on(contractorLinked, ({ data, time }) => deps.addressing.onLinked(data, new Date(time)))],
    'facts-requests': [on(snapshotsRequested, (event) => publishFacts(deps, event))],
  };
}

/** Publishes a page of documents once more, then asks itself for the next. */
async function publishFacts(
  { purchases, broker, now }: Deps,
  { data }: DomainEvent<SnapshotsRequested>,
): Promise<void> {
  if (data.kind !== 'purchases') return;
  const page = await purchases.page(data.after, factsPerPage);
  const at = now();
  await broker.publish(
    toCloudEvents(
      'purchase',
      page.map((purchase) => factsEvent(purchase, at)),
    ),
  );
  if (page.length < factsPerPage) return;
  const after = page.at(-1)?._id as string;
  await broker.publish(toCloudEvents('purchase', [snapshotsRequested({ ...data, after }, at)]));
}

function factsEvent(purchase: Purchase, at: Date) {
  return purchaseChanged({ purchase: purchaseSnapshot(purchase) }, at, purchase._id);
}
