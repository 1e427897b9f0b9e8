import { locationChanged, type SnapshotKind, snapshotsRequested } from '@app/contracts';
import { type Broker, on, type Subscription, toCloudEvents } from '@app/messaging';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { contractorFact, type Fact, locationFact, ticketFact } from './fact.ts';

type Deps = {
  tickets: TicketStore;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  broker: Pick<Broker, 'publish'>;
  now: () => Date;
};

const pageSize = 500;

type Page = (after: string | null) => Promise<Fact[]>;

/**
 * Publishes the facts of one kind again, page by page, for whoever keeps copies of them (design section 2). A page is
 * acknowledged once it is published and the next one is asked for: a crash repeats at most one page, which changes
 * nothing, since facts carry their version.
 */
export function snapshotSubscriptions({ tickets, contractors, referentials, broker, now }: Deps): Subscription[] {
  const pages: Partial<Record<SnapshotKind, Page>> = {
    tickets: async (after) => (await tickets.snapshotsAfter(after, pageSize)).map((one) => ticketFact(one, now())),
    contractors: async (after) =>
      (await contractors.snapshotsAfter(after, pageSize)).map((one) => contractorFact(one, now())),
    locations: async (after) =>
      (await referentials.locationSnapshotsAfter(after, pageSize)).map((one) => locationFact(one, now())),
  };
  return [
    on(snapshotsRequested, async ({ data }) => {
      const page = await pages[data.kind]?.(data.after);
      const last = page?.at(-1);
      if (!page || !last) return;
      const next = page.length === pageSize ? [snapshotsRequested({ ...data, after: last.id }, now())] : [];
      await broker.publish(toCloudEvents('ticket', [...page.map(({ event }) => event), ...next]));
    }),
  ];
}

/** The name by which a location is billed is another's: where that is renamed, or another named, it is looked at again. */
export function locationNameSubscriptions(referentials: ReferentialStore): Subscription[] {
  return [on(locationChanged, ({ data }) => referentials.checkBilling(data.location.id))];
}
