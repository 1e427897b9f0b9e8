import type { CompanyFacts, ContractorFacts, LocationFacts, PurchaseFacts, TicketFacts } from '@app/contracts';
import { nearAmounts } from '../invoices/amount-key.ts';
import { ticketGone } from '../invoices/arrival.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import type { Change, MatchStore } from '../invoices/match-store.ts';
import { type ReferenceCopies, sirenOf } from './reference-copies-store.ts';
import { contractorsOf, type IndexedCopy, type TicketCopies } from './ticket-copies-store.ts';

/** Keeps what other services tell, and has the invoices of the queue that it may concern looked at again (row 19). */
export type KeepCopies = {
  ticket(ticket: TicketFacts): Promise<void>;
  purchase(purchase: PurchaseFacts): Promise<void>;
  contractor(contractor: ContractorFacts): Promise<void>;
  location(location: LocationFacts): Promise<void>;
  company(company: CompanyFacts): Promise<void>;
};

type Deps = {
  tickets: TicketCopies;
  references: ReferenceCopies;
  invoices: MatchStore;
  store: InvoiceStore;
  rematchDelayMs: number;
  now: () => Date;
};

const lost = ['removed', 'canceled'];

/** First the copy, then the marks: a look that was under way meanwhile may have missed the one, not both. */
export function createKeepCopies({ tickets, references, invoices, store, rematchDelayMs, now }: Deps): KeepCopies {
  const later = () => new Date(now().getTime() + rematchDelayMs);
  const mark = (change: Change) => invoices.mark(change, later());

  async function concerned({ facts, keys, amounts }: IndexedCopy): Promise<void> {
    await mark({
      client_id: facts.client_id,
      references: keys,
      amounts: nearAmounts(amounts),
      suggested: facts.id,
      suppliers: contractorsOf(facts),
    });
  }

  /** Invoices on a ticket that is no more wait for a person; a ticket that came back is linked by hand again. */
  async function leave({ id, client_id }: TicketFacts): Promise<void> {
    for (const { invoiceId } of await invoices.onTickets(client_id, [id], '')) {
      await store.change(client_id, invoiceId, (invoice) => ticketGone(invoice, id, now()));
    }
  }

  return {
    async ticket(ticket) {
      const copy = await tickets.keepTicket(ticket);
      if (!copy) return;
      await concerned(copy);
      if (lost.includes(copy.facts.status)) await leave(copy.facts);
    },
    async purchase(purchase) {
      const copy = await tickets.keepPurchase(purchase);
      if (copy) await concerned(copy);
    },
    async contractor(contractor) {
      await references.keepContractor(contractor);
      const { id, client_id } = contractor;
      await mark({ client_id, siren: sirenOf(contractor), suppliers: [id] });
    },
    location: (location) => references.keepLocation(location),
    company: (company) => references.keepCompany(company),
  };
}
