import type { CompanyDirectory } from '../companies/company-directory.ts';
import { type TicketDocument, visibleDocuments } from '../documents/document.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { InvoiceLine } from '../invoices/invoice-line.ts';
import type { InvoiceLineStore } from '../invoices/invoice-line-store.ts';
import type { Purchase } from '../purchases/purchase.ts';
import type { PurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import { earlierItems, type HistoryItem, ofCompany, visibleEntries } from '../tickets/history.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import type { Ticket, View } from '../tickets/ticket.ts';

export type HistoryDeps = {
  tickets: Pick<TicketStore, 'history'>;
  documents: Pick<DocumentStore, 'newest'>;
  purchases: Pick<PurchaseProjectionStore, 'listByTicket' | 'deletedFrom'>;
  invoices: Pick<InvoiceLineStore, 'everOn'>;
  companies: Pick<CompanyDirectory, 'projectedUsers'>;
};

/** How many documents of a ticket its history shows, the newest ones. */
const maxDocuments = 1_000;
/** Those that were added by themselves: the file of a purchase document is part of its item. */
const added = { kind: 'document' } as const;

/** What happened to a ticket as the company of this view may see it, in no order. */
export async function historyOf(deps: HistoryDeps, ticket: Ticket, own: View): Promise<HistoryItem[]> {
  const { _id, has_purchases, has_invoices } = ticket;
  const companyId = own.company_id as string;
  const [entries, documents, purchases, deleted, lines] = await Promise.all([
    deps.tickets.history(_id),
    deps.documents.newest(_id, { ...visibleDocuments(ticket, own), ...added }, maxDocuments),
    has_purchases ? deps.purchases.listByTicket([_id], companyId) : null,
    has_purchases ? deps.purchases.deletedFrom(_id, companyId) : [],
    has_invoices ? deps.invoices.everOn(_id) : [],
  ]);
  const everAdded = [...(purchases?.get(_id) ?? []), ...deleted];
  const beside = [
    ...documents.map(documentItem),
    ...everAdded.map((purchase) => purchaseItem(purchase, 'add_purchase')),
    ...deleted.map((purchase) => purchaseItem(purchase, 'remove_purchase')),
    ...lines.flatMap((line) => lineItems(line, _id, own)),
  ];
  const named = await withNames(deps, beside);
  return [...visibleEntries(entries, ticket, own), ...earlierItems(entries, ticket, own), ...named];
}

/** Documents, purchases and invoice lines hold ids of users alone, so their items have the present names. */
async function withNames({ companies }: Pick<HistoryDeps, 'companies'>, items: HistoryItem[]): Promise<HistoryItem[]> {
  const users = await companies.projectedUsers(items.flatMap(({ by }) => by?._id ?? []));
  return items.map((item) => {
    const user = item.by?._id ? users.get(item.by._id) : undefined;
    if (!item.by || user?.company_id !== item.by.company_id) return item;
    return { ...item, by: { ...item.by, firstName: user.first_name, lastName: user.last_name } };
  });
}

const withoutMove = { from: null, to: null };

function documentItem({ _id, added_at: at, company_id, added_by, file }: TicketDocument): HistoryItem {
  return {
    ...withoutMove,
    _id,
    at,
    by: ofCompany(company_id, added_by),
    operation: 'add_document',
    text: file.name,
  };
}

function purchaseItem(purchase: Purchase, operation: 'add_purchase' | 'remove_purchase'): HistoryItem {
  const { _id, buyer_company_id, kind, reference } = purchase;
  const [at, by] =
    operation === 'add_purchase'
      ? [purchase.created_at, purchase.created_by]
      : [purchase.updated_at, purchase.updated_by];
  const text = `${kind} ${reference}`;
  return { ...withoutMove, _id, at: new Date(at), by: ofCompany(buyer_company_id, by), operation, text };
}

/** The items of a line; a contractor sees those on its own view alone. */
function lineItems(line: InvoiceLine, ticketId: string, own: View): HistoryItem[] {
  return (line.log ?? [])
    .filter(({ ticket_id, view_id }) => ticket_id === ticketId && (own.role === 'client' || view_id === own._id))
    .map(({ operation, at, by, reference }) => ({
      ...withoutMove,
      _id: line._id,
      at,
      by: by === null ? null : ofCompany(line.client_id, by),
      operation,
      text: reference,
    }));
}
