import type { KnownThing, NewEvent } from '@app/contracts';
import type { RestorePage, RestoreParticipant } from '@app/service/restore';
import { pendingRequests } from '../feedback/feedback.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { lineChanged } from '../invoices/invoice-line.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import type { RematchQueue } from '../matching/rematch-queue.ts';
import { ticketGone } from '../matching/ticket-link.ts';
import type { DirectoryStore } from '../projections/directory-store.ts';
import type { PurchaseProjectionStore } from '../projections/purchase-projection-store.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { RestoreQueries } from './restore-store.ts';

type Deps = {
  queries: RestoreQueries;
  store: Pick<InvoiceStore, 'change'>;
  tickets: Pick<TicketProjectionStore, 'markLost'>;
  purchases: Pick<PurchaseProjectionStore, 'markLost'>;
  directory: Pick<DirectoryStore, 'markContractorLost' | 'markLocationLost'>;
  rematches: Pick<RematchQueue, 'contractorChanged'>;
  now: () => Date;
};

/** What this service does after a restore, its own or another's. */
export function restoreParticipant(deps: Deps): RestoreParticipant {
  const { queries, tickets, purchases, directory, rematches, now } = deps;
  return {
    tasks: {
      'publish lines': async (_restore, after) =>
        pageOf(await queries.withLine(after), (invoice) => [lineChanged(invoice, now())]),
      'ask for feedback': async (_restore, after) =>
        pageOf(await queries.withPendingFeedback(after), (invoice) => pendingRequests(invoice, now())),
    },
    known: queries.known,
    existing: {
      async invoices(things) {
        const found = await queries.invoices(things.map(({ id }) => id));
        return { ids: found.map(({ _id }) => _id), events: found.map((invoice) => lineChanged(invoice, now())) };
      },
    },
    lost: {
      tickets: ({ id }, { epoch }) => tickets.markLost(id, epoch),
      async contractors({ id }, { epoch }) {
        const contractor = await directory.markContractorLost(id, epoch);
        if (contractor) await rematches.contractorChanged(contractor);
      },
      locations: ({ id }, { epoch }) => directory.markLocationLost(id, epoch),
      purchases: (one, { epoch }) => purchases.markLost({ ...one, version: epoch }),
      views: (view) => reviewInvoicesOn(deps, view),
    },
  };
}

/** The view is lost but the ticket still exists: a person decides where the invoice belongs. */
async function reviewInvoicesOn({ queries, store, now }: Deps, { id, within }: KnownThing): Promise<void> {
  if (within === null) return;
  for (const { _id, client_id } of await queries.onView(within, id)) {
    await store.change(client_id, _id, (invoice) => ticketGone(invoice, within, now()), { write: null });
  }
}

type Page = { found: Invoice[]; next: string | null };

function pageOf({ found, next }: Page, eventsOf: (invoice: Invoice) => NewEvent[]): RestorePage {
  return { events: found.flatMap(eventsOf), next };
}
