import type {
  CompanySnapshot,
  ContractorSnapshot,
  LocationSnapshot,
  PurchaseSnapshot,
  TicketSnapshot,
} from '@app/contracts';
import type { Logger } from '@app/runtime';
import { nearAmounts } from '../invoices/amount-key.ts';
import { ticketGone } from '../invoices/arrival.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import type { MatchStore } from '../invoices/match-store.ts';
import type { PurchaseKeeping } from './purchase-keeping-store.ts';
import { type ReferenceCopies, sirenOf } from './reference-copies-store.ts';
import type { Owing, TicketKeeping } from './ticket-keeping-store.ts';

/** Keeps what other services tell, and has the invoices of the queue that it may concern looked at again (row 19). */
export type KeepCopies = {
  ticket(ticket: TicketSnapshot): Promise<void>;
  purchase(purchase: PurchaseSnapshot): Promise<void>;
  contractor(contractor: ContractorSnapshot): Promise<void>;
  location(location: LocationSnapshot): Promise<void>;
  company(company: CompanySnapshot): Promise<void>;
  /** Marks the invoices that tickets which changed may concern, a batch at a time; gives how many tickets it settled. */
  markOwed(): Promise<number>;
};

type Deps = {
  keeping: TicketKeeping;
  documents: PurchaseKeeping;
  references: ReferenceCopies;
  invoices: MatchStore;
  store: InvoiceStore;
  rematchDelayMs: number;
  logger: Logger;
  now: () => Date;
};

const ticketsAtOnce = 100;

/** First the copy, then the marks: a look that was under way meanwhile may have missed the one, not both. */
export function createKeepCopies(deps: Deps): KeepCopies {
  const { keeping, documents, references, invoices, store, rematchDelayMs, logger, now } = deps;
  const later = () => new Date(now().getTime() + rematchDelayMs);

  /** Invoices on a ticket that is no more (removed or canceled; a draft has none) wait for a person; one that came back is linked by hand again. */
  async function leave(clientId: string, tickets: Owing[]): Promise<void> {
    const gone = tickets.filter(({ open }) => !open).map(({ _id }) => _id);
    for (const { invoiceId, ticketId } of await invoices.onTickets(clientId, gone, '')) {
      await store.change(clientId, invoiceId, (invoice) => ticketGone(invoice, ticketId, now()));
    }
  }

  async function settle(client_id: string, tickets: Owing[]): Promise<number> {
    try {
      const change = {
        client_id,
        references: distinct(tickets.flatMap(({ keys }) => keys)),
        amounts: distinct(tickets.flatMap(({ amounts }) => nearAmounts(amounts))),
        suggested: tickets.map(({ _id }) => _id),
        suppliers: distinct(tickets.flatMap(({ contractor_ids }) => contractor_ids)),
      };
      await invoices.mark(change, later());
      await leave(client_id, tickets);
      await keeping.paid(tickets);
      return tickets.length;
    } catch (error) {
      // They owe it still: the next round tries again.
      logger.warn('invoices of changed tickets could not be marked', { clientId: client_id, error });
      return 0;
    }
  }

  return {
    ticket: (ticket) => keeping.keepTicket(ticket),
    purchase: (purchase) => documents.keepPurchase(purchase),
    async contractor(contractor) {
      await references.keepContractor(contractor);
      const { id, client_id } = contractor;
      await invoices.mark({ client_id, siren: sirenOf(contractor), suppliers: [id] }, later());
    },
    location: (location) => references.keepLocation(location),
    company: (company) => references.keepCompany(company),
    async markOwed() {
      const owing = await keeping.owing(ticketsAtOnce);
      const clients = Map.groupBy(owing, ({ client_id }) => client_id);
      let settled = 0;
      for (const [clientId, tickets] of clients) settled += await settle(clientId, tickets);
      return settled;
    },
  };
}

function distinct(values: string[]): string[] {
  return [...new Set(values)];
}
