import {
  type DomainEvent,
  type FactsRequested,
  factsRequested,
  purchaseChanged,
  type TicketAssigned,
  ticketAssigned,
} from '@app/contracts';
import { AppError } from '@app/kernel';
import { type Broker, on, type Subscription, seal } from '@app/messaging';
import { address } from './changes.ts';
import { isOnItsWay } from './dossier.ts';
import type { DossierStore } from './dossier-store.ts';
import { factsOf, type Purchase } from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';

type Deps = {
  purchases: PurchaseStore;
  dossiers: DossierStore;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

const factsPerPage = 500;

/** What the purchase service listens to, by queue. Each handler does the same when it runs again. */
export function subscriptions(deps: Deps): Record<string, Subscription[]> {
  return {
    assignments: [on(ticketAssigned, (event) => assigned(deps, event))],
    'facts-requests': [on(factsRequested, (event) => publishFacts(deps, event))],
  };
}

/**
 * The dossier first: a create that takes its place later sees the assignment, one that took it before is among the ids. Its
 * document may not be there yet; the message then comes again. Documents go by all that the dossier has heard, so that one
 * whose own message comes again late, after the next, still gives them their first contractor.
 */
async function assigned({ purchases, dossiers, now }: Deps, { data }: DomainEvent<TicketAssigned>): Promise<void> {
  const { ticket_id: ticketId, client_id: buyerId, version, contractor_id, company_id } = data;
  const { assignments, ids } = await dossiers.assigned({ ticketId, buyerId }, { version, contractor_id, company_id });
  if (contractor_id === null) return;
  // Asked before the documents are read: one that appears in between is then among those read.
  const standing = await purchases.standing(ids);
  for (const purchase of await purchases.unaddressed(ticketId, buyerId)) {
    await purchases.change(purchase, (current) => address(current, assignments, now())).catch(unlessDeleted);
  }
  if (ids.some((id) => !standing.has(id) && isOnItsWay(id, now()))) {
    throw new AppError(
      'unavailable',
      'purchase_on_its_way',
      'a document of the ticket is being written at this moment',
    );
  }
}

function unlessDeleted(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
}

/** Publishes a page of documents once more, then asks itself for the next. */
async function publishFacts({ purchases, broker, now }: Deps, { data }: DomainEvent<FactsRequested>): Promise<void> {
  if (data.kind !== 'purchases') return;
  const page = await purchases.page(data.after, factsPerPage);
  const at = now();
  await broker.publish(
    seal(
      'purchase',
      page.map((purchase) => factsEvent(purchase, at)),
    ),
  );
  if (page.length < factsPerPage) return;
  const after = page.at(-1)?._id as string;
  await broker.publish(seal('purchase', [factsRequested({ ...data, after }, at)]));
}

function factsEvent(purchase: Purchase, at: Date) {
  return purchaseChanged({ purchase: factsOf(purchase) }, at, purchase._id);
}
