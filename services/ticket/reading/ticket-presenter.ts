import type { Caller } from '@app/contracts';
import type { UrlSigner } from '@app/storage';
import type { ClockSettingsStore } from '../clock-settings/clock-settings-store.ts';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { InvoiceLineStore } from '../invoices/invoice-line-store.ts';
import type { PurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { availableMoves } from '../tickets/lifecycle/available-moves.ts';
import { type StoredFile, type Ticket, viewOfCompany } from '../tickets/ticket.ts';
import { actorOf, type TicketDeps } from '../tickets/ticket-route-base.ts';
import { type Related, ticketResponse } from './ticket-response.ts';

type Deps = {
  contractors: ContractorStore;
  companies: CompanyDirectory;
  referentials: ReferentialStore;
  clockSettings: Pick<ClockSettingsStore, 'byIds'>;
  purchases: Pick<PurchaseProjectionStore, 'listByTicket'>;
  invoices: Pick<InvoiceLineStore, 'listByTicket'>;
  links: UrlSigner;
  /** The public address of this API. */
  baseUrl: string;
  /** That of the console; null: there is none. */
  consoleUrl?: string | null;
  /** Whether only a finished ticket can be closed. */
  strictClose?: boolean;
  now: () => Date;
};

/** Turns tickets into replies. */
export type TicketPresenter = ReturnType<typeof createTicketPresenter>;

/** What routes need that reply with a ticket. */
export type PresentedTicketDeps = TicketDeps & { presenter: TicketPresenter };

export function createTicketPresenter(deps: Deps) {
  const { links, baseUrl, consoleUrl = null, now } = deps;
  const link = ({ key, name, type }: StoredFile) => links.sign({ key, name, type }).url;
  return {
    /** The signed download link of a file. */
    link,
    /** Tickets as a list shows them. */
    async page(tickets: Ticket[], viewer: Caller): Promise<object[]> {
      const related = await loadRelated(deps, tickets, viewer);
      const presentation = { viewer, related, baseUrl, consoleUrl, now: now() };
      return tickets.map((ticket) => ticketResponse(ticket, presentation));
    },
    /** One ticket as its read shows it: with `download_url` on quotes, and what the caller may do. */
    async one(ticket: Ticket, viewer: Caller): Promise<object> {
      const related = await loadRelated(deps, [ticket], viewer);
      const moves = availableMoves(ticket, actorOf(ticket, viewer), deps);
      return { ...ticketResponse(ticket, { viewer, related, baseUrl, consoleUrl, link, now: now() }), moves };
    },
  };
}

/** One query for each kind of thing that the tickets of a page refer to, all at the same time; none for a kind without ids. */
async function loadRelated(deps: Deps, tickets: Ticket[], viewer: Caller): Promise<Related> {
  const all = <T>(pick: (ticket: Ticket) => readonly T[]) => [...new Set(tickets.flatMap(pick))];
  const clientIds = all(({ client_id }) => [client_id]);
  const contractorIds = all(({ views }) => views.flatMap(({ contractor_id }) => contractor_id ?? []));
  const userIds = all(({ manager_ids, contact_ids }) => [...manager_ids, ...contact_ids]);
  const withPurchases = all(({ _id, has_purchases }) => (has_purchases ? [_id] : []));
  const withInvoices = tickets.filter(({ has_invoices }) => has_invoices);
  const withDeadlines = all(({ client_id, clock }) => (clock?.rules ? [client_id] : []));
  const [contractors, users, referentials, purchases, invoices, clockSettings] = await Promise.all([
    deps.contractors.byIds(clientIds, contractorIds),
    deps.companies.projectedUsers(userIds),
    deps.referentials.resolve(clientIds, {
      location_ids: all(({ location_ids }) => location_ids),
      equipment_ids: all(({ equipment_ids }) => equipment_ids),
      job_ids: all(({ job_ids }) => job_ids),
      domain_ids: all(({ domain_ids }) => domain_ids),
      field_ids: all(({ fields }) => fields.map(({ field_id }) => field_id)),
    }),
    withPurchases.length > 0 ? deps.purchases.listByTicket(withPurchases, viewer.companyId) : new Map(),
    withInvoices.length > 0
      ? deps.invoices.listByTicket(
          withInvoices.map(({ _id }) => _id),
          ownViews(withInvoices, viewer),
        )
      : new Map(),
    withDeadlines.length > 0 ? deps.clockSettings.byIds(withDeadlines) : new Map(),
  ]);
  return { contractors, users, referentials, purchases, invoices, clockSettings };
}

/** A client reads every invoice line of its tickets (undefined), a contractor those on its own views. */
function ownViews(tickets: Ticket[], { companyId, companyKind }: Caller): string[] | undefined {
  if (companyKind === 'client') return undefined;
  return tickets.flatMap((ticket) => viewOfCompany(ticket, companyId)?._id ?? []);
}
