import { contractorLinked, type KnownThing, ticketAssigned } from '@app/contracts';
import type { Erasures } from '@app/service/erasure';
import type { RestorePage, RestoreParticipant } from '@app/service/restore';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { InvoiceLineProjection } from '../invoices/invoice-line-projection.ts';
import type { PurchaseProjection } from '../purchases/purchase-projection.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';

type Deps = {
  queries: Required<Pick<RestoreParticipant, 'known' | 'existing'>>;
  tickets: Pick<TicketStore, 'snapshotsAfter'>;
  contractors: Pick<ContractorStore, 'snapshotsAfter'>;
  erasures: Pick<Erasures, 'publishAgain'>;
  purchaseProjection: Pick<PurchaseProjection, 'markLost'>;
  invoiceLineProjection: Pick<InvoiceLineProjection, 'markLost'>;
  now: () => Date;
};

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({
  queries,
  purchaseProjection,
  invoiceLineProjection,
  ...deps
}: Deps): RestoreParticipant {
  return {
    ...queries,
    tasks: {
      'publish assignments': (_restore, after) => assignments(deps, after),
      'publish links': (_restore, after) => links(deps, after),
      'publish erasures': (_restore, after) => deps.erasures.publishAgain(after),
    },
    lost: {
      purchases: ({ id }, { epoch }) => purchaseProjection.markLost(id, epoch),
      invoices: ({ id }, { epoch }) => invoiceLineProjection.markLost(id, epoch),
    },
  };
}

type Telling = Pick<Deps, 'tickets' | 'contractors' | 'now'>;

/** The current contractor of each ticket that has one. */
async function assignments({ tickets, now }: Telling, after: string | null): Promise<RestorePage> {
  const { found, next } = await tickets.snapshotsAfter(after);
  const events = found.flatMap(({ id: ticket_id, client_id, version, views }) => {
    const { contractor_id = null, company_id = null } = views.find(({ state }) => state === 'active') ?? {};
    const assigned = { ticket_id, client_id, version, contractor_id, company_id };
    return contractor_id === null ? [] : [ticketAssigned(assigned, now(), ticket_id)];
  });
  return { events, next };
}

/** The account of each contractor that has one. */
async function links({ contractors, now }: Telling, after: string | null): Promise<RestorePage> {
  const { found, next } = await contractors.snapshotsAfter(after);
  const events = found.flatMap(({ id: contractor_id, client_id, company_id }) =>
    company_id === null ? [] : [contractorLinked({ client_id, contractor_id, company_id }, now(), contractor_id)],
  );
  return { events, next };
}

/** Handles an event, unless what it names was lost by a restore of this service. */
export type IfNotLost = (named: Named, handle: () => Promise<unknown>) => Promise<void>;
/** `knownTo`: the service that publishes events about them. */
type Named = { ticketId: string; viewId?: string; knownTo: string; label: string };
type Report = (lost: { kind: string; thing: KnownThing; knownTo: string }) => Promise<boolean>;

/** Events about a lost ticket or view have no effect, and the loss is reported to the service that published them. */
export function ignoringLost(reportIfLost: Report): IfNotLost {
  return async ({ ticketId, viewId, knownTo, label }, handle) => {
    try {
      await handle();
    } catch (error) {
      const { code } = error as { code?: unknown };
      const lost =
        code === 'ticket_not_found'
          ? { kind: 'tickets', thing: { id: ticketId, label, within: null } }
          : code === 'view_not_found' && viewId !== undefined
            ? { kind: 'views', thing: { id: viewId, label, within: ticketId } }
            : null;
      if (lost === null || !(await reportIfLost({ ...lost, knownTo }))) throw error;
    }
  };
}
