import {
  contractorChanged,
  locationChanged,
  type NewEvent,
  type SnapshotKind,
  type SnapshotsRequested,
  snapshotsRequested,
  ticketChanged,
} from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';

type Deps = {
  tickets: TicketStore;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

/** The events of a page, and the id after which the next page begins; null if there is none. */
type Page = { events: NewEvent[]; next: string | null };

/**
 * Publishes a page of snapshots of one kind again, for services that rebuild their projections, and then requests the next
 * page. A crash repeats at most one page, which is harmless, since snapshots carry their versions.
 */
export async function republishSnapshots(deps: Deps, request: SnapshotsRequested): Promise<void> {
  const page = await loadPage(deps, request);
  if (!page || page.events.length === 0) return;
  const next = page.next === null ? [] : [snapshotsRequested({ ...request, after: page.next }, deps.now())];
  await deps.broker.publish(toCloudEvents('ticket', [...page.events, ...next]));
}

async function loadPage(
  { tickets, contractors, referentials, now }: Deps,
  { kind, after }: SnapshotsRequested,
): Promise<Page | undefined> {
  const at = now();
  const pages: Partial<Record<SnapshotKind, () => Promise<Page>>> = {
    tickets: async () =>
      pageOf(await tickets.snapshotsAfter(after), (ticket) => ticketChanged({ ticket }, at, ticket.id)),
    contractors: async () =>
      pageOf(await contractors.snapshotsAfter(after), (one) => contractorChanged({ contractor: one }, at, one.id)),
    locations: async () =>
      pageOf(await referentials.locationSnapshotsAfter(after), (one) => locationChanged({ location: one }, at, one.id)),
  };
  return pages[kind]?.();
}

type Snapshots<Snapshot> = { found: Snapshot[]; next: string | null };

function pageOf<Snapshot>({ found, next }: Snapshots<Snapshot>, eventOf: (snapshot: Snapshot) => NewEvent): Page {
  return { events: found.map(eventOf), next };
}
