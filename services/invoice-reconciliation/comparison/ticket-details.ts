import type { TicketSnapshot } from '@app/contracts';
import type { InvoicedAmount } from '../invoices/linked-amounts.ts';
import type { TicketProjection } from '../projections/ticket-projection.ts';

/** The details of a ticket that people compare an invoice with. */
export type TicketDetails = {
  number: string;
  title: string;
  status: string | null;
  contractor: { id: string; name: string | null } | null;
  location: string | null;
  quotes: { reference: string; price: number; includesVat: boolean; status: string }[];
  orders: { reference: string; amount: number | null; includesVat: boolean }[];
  invoiced: { invoiceId: string; number: string; ht: number; ttc: number }[];
};

type Names = ReadonlyMap<string, string>;
type Related = { contractors: Names; locations: Names; invoiced: readonly InvoicedAmount[] };

/** The limit of each list: nobody compares more. */
const maxListed = 100;

/** The details of a ticket, seen from one of its views. */
export function ticketDetails(
  { ticket, purchases }: TicketProjection,
  viewId: string,
  related: Related,
): TicketDetails {
  const { id, number, title, status, location_ids, quotes } = ticket;
  const contractorId = contractorOn(ticket, viewId);
  const orders = purchases.filter(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  const names = location_ids.flatMap((one) => related.locations.get(one) ?? []);
  return {
    number,
    title,
    status,
    contractor:
      contractorId === null ? null : { id: contractorId, name: related.contractors.get(contractorId) ?? null },
    location: names.length === 0 ? null : names.slice(0, maxListed).join(', '),
    quotes: quotes
      .filter((quote) => quote.status !== 'declined')
      .slice(0, maxListed)
      .map((quote) => ({
        reference: quote.reference,
        price: Number(quote.price),
        includesVat: quote.includes_vat,
        status: quote.status,
      })),
    orders: orders
      .slice(0, maxListed)
      .map(({ reference, amount, includes_vat }) => ({ reference, amount, includesVat: includes_vat })),
    invoiced: related.invoiced
      .filter(({ ticketId }) => ticketId === id)
      .slice(0, maxListed)
      .map(({ invoiceId, number: own, ht, ttc }) => ({ invoiceId, number: own, ht, ttc })),
  };
}

/** The contractor of the view; for the client's view the present contractor of the ticket. */
export function contractorOn({ views }: TicketSnapshot, viewId: string): string | null {
  const view = views.find(({ id }) => id === viewId);
  const active = views.find(({ state, contractor_id }) => state === 'active' && contractor_id !== null);
  return view?.contractor_id ?? active?.contractor_id ?? null;
}
