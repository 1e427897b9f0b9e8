import {
  contractorChanged,
  locationChanged,
  type NewEvent,
  type SnapshotKind,
  snapshotsRequested,
  ticketChanged,
} from '@app/contracts';
import { type Broker, on, type Subscription, toCloudEvents } from '@app/messaging';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';

type Deps = {
  tickets: TicketStore;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

const pageSize = 500;

/** The events of a page, and the id after which the next page begins; null if there is none. */
type Page = { events: NewEvent[]; next: string | null };

/**
 * Publishes the snapshots of one kind again, page by page, for services that rebuild their projections. A request is
 * acknowledged once its page and the request for the next page are published: a crash repeats at most one page, which is
 * harmless, since snapshots carry their versions.
 */
export function snapshotSubscriptions({ tickets, contractors, referentials, broker, now }: Deps): Subscription[] {
  const pages: Partial<Record<SnapshotKind, (after: string | null) => Promise<Page>>> = {
    tickets: async (after) =>
      pageOf(await tickets.snapshotsAfter(after, pageSize), (ticket) => ticketChanged({ ticket }, now(), ticket.id)),
    contractors: async (after) =>
      pageOf(await contractors.snapshotsAfter(after, pageSize), (contractor) =>
        contractorChanged({ contractor }, now(), contractor.id),
      ),
    locations: async (after) =>
      pageOf(await referentials.locationSnapshotsAfter(after, pageSize), (location) =>
        locationChanged({ location }, now(), location.id),
      ),
  };
  return [
    on(snapshotsRequested, async ({ data }) => {
      const page = await pages[data.kind]?.(data.after);
      if (!page || page.events.length === 0) return;
      const next = page.next === null ? [] : [snapshotsRequested({ ...data, after: page.next }, now())];
      await broker.publish(toCloudEvents('ticket', [...page.events, ...next]));
    }),
  ];
}

function pageOf<Snapshot extends { id: string }>(
  snapshots: Snapshot[],
  eventOf: (snapshot: Snapshot) => NewEvent,
): Page {
  const last = snapshots.length === pageSize ? snapshots.at(-1) : undefined;
  return { events: snapshots.map(eventOf), next: last?.id ?? null };
}
