import type { Caller } from '@app/contracts';
import type { UrlSigner } from '@app/storage';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { InvoiceLineStore } from '../invoices/invoice-line-store.ts';
import type { PurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { type StoredFile, type Ticket, viewOfCompany } from '../tickets/ticket.ts';
import { type Related, ticketView } from './ticket-view.ts';

type Deps = {
  contractors: ContractorStore;
  companies: CompanyDirectory;
  referentials: ReferentialStore;
  purchases: Pick<PurchaseProjectionStore, 'listByTicket'>;
  invoices: Pick<InvoiceLineStore, 'listByTicket'>;
  links: UrlSigner;
  /** `{base_url}`. */
  baseUrl: string;
};

export type TicketPresenter = {
  /** Tickets as a list shows them. */
  page(tickets: Ticket[], caller: Caller): Promise<object[]>;
  /** One ticket as its read shows it: with `download_url` on quotes. */
  one(ticket: Ticket, caller: Caller): Promise<object>;
  /** The signed link of a file, alone. */
  link(file: StoredFile): string;
};

/** Shows tickets with what they name; what a page names is read in one round, and nothing where nothing is named. */
export function createTicketPresenter(deps: Deps): TicketPresenter {
  const { links, baseUrl } = deps;
  const link = ({ key, name, type }: StoredFile) => links.sign({ key, name, type }).url;
  return {
    link,
    async page(tickets, viewer) {
      const related = await loadRelated(deps, tickets, viewer);
      return tickets.map((ticket) => ticketView(ticket, { viewer, related, baseUrl }));
    },
    async one(ticket, viewer) {
      const related = await loadRelated(deps, [ticket], viewer);
      return ticketView(ticket, { viewer, related, baseUrl, link });
    },
  };
}

async function loadRelated(deps: Deps, tickets: Ticket[], viewer: Caller): Promise<Related> {
  const { contractors, companies, referentials, purchases, invoices } = deps;
  const all = <T>(pick: (ticket: Ticket) => readonly T[]) => [...new Set(tickets.flatMap(pick))];
  const clientIds = all(({ client_id }) => [client_id]);
  const contractorIds = all(({ views }) => views.flatMap(({ contractor_id }) => contractor_id ?? []));
  const userIds = all(({ manager_ids, contact_ids }) => [...manager_ids, ...contact_ids]);
  const withPurchases = all(({ _id, has_purchases }) => (has_purchases ? [_id] : []));
  const withInvoices = tickets.filter(({ has_invoices }) => has_invoices);
  const [foundContractors, users, resolved, shownPurchases, shownInvoices] = await Promise.all([
    contractorIds.length > 0 ? contractors.byIds(clientIds, contractorIds) : new Map(),
    userIds.length > 0 ? companies.knownUsers(userIds) : new Map(),
    referentials.resolve(clientIds, {
      location_ids: all(({ location_ids }) => location_ids),
      equipment_ids: all(({ equipment_ids }) => equipment_ids),
      job_ids: all(({ job_ids }) => job_ids),
      domain_ids: all(({ domain_ids }) => domain_ids),
      field_ids: all(({ fields }) => fields.map(({ field_id }) => field_id)),
    }),
    withPurchases.length > 0 ? purchases.listByTicket(withPurchases, viewer.companyId) : new Map(),
    withInvoices.length > 0 ? invoices.listByTicket(idsOf(withInvoices), ownViews(withInvoices, viewer)) : new Map(),
  ]);
  return {
    contractors: foundContractors,
    users,
    referentials: resolved,
    purchases: shownPurchases,
    invoices: shownInvoices,
  };
}

function idsOf(tickets: Ticket[]): string[] {
  return tickets.map(({ _id }) => _id);
}

/** A client reads every line of its tickets, a contractor those on its own views. */
function ownViews(tickets: Ticket[], { companyId, companyKind }: Caller): string[] | undefined {
  if (companyKind === 'client') return undefined;
  return tickets.flatMap((ticket) => viewOfCompany(ticket, companyId)?._id ?? []);
}
