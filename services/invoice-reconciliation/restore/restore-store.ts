import type { KnownThing } from '@app/contracts';
import { pageById } from '@app/runtime';
import { knownIn, type RestoreParticipant } from '@app/service/restore';
import type { Connection } from 'mongoose';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceCollection, invoiceOnly } from '../invoices/invoice-collection.ts';
import { ticketCollections } from '../projections/ticket-collections.ts';
import { parseProjection, type TicketProjection, unknownVersion } from '../projections/ticket-projection.ts';

type Page = { found: Invoice[]; next: string | null };

/** What this service has, its own and of others, as a restore asks for it, in the order of ids. By the driver: it goes through all. */
export type RestoreQueries = ReturnType<typeof createRestoreQueries>;

/** A ticket has up to 400 purchase documents. */
const ticketsPerPage = 50;

export function createRestoreQueries(connection: Connection) {
  const invoices = invoiceCollection(connection);
  const { tickets } = ticketCollections(connection);
  type Named = { _id: string; snapshot: { name: string; deleted?: boolean } };
  const named = (collection: string) =>
    knownIn(connection.collection<Named>(collection), {
      projection: { 'snapshot.name': 1, 'snapshot.deleted': 1 },
      thingsOf: ({ _id: id, snapshot }) => (snapshot.deleted ? [] : [{ id, label: snapshot.name, within: null }]),
    });
  const ofTickets = (thingsOf: (projection: TicketProjection) => KnownThing[]) =>
    knownIn(tickets, {
      filter: { version: { $gt: unknownVersion } },
      projection: { json: 1 },
      limit: ticketsPerPage,
      thingsOf: ({ json }) => {
        const projection = parseProjection(json);
        return projection === null ? [] : thingsOf(projection);
      },
    });
  const pageOf = async (filter: object, after: string | null): Promise<Page> => {
    const { found, next } = await pageById(invoices, after, { filter, projection: invoiceOnly });
    return { found, next };
  };
  return {
    known: {
      tickets: ofTickets(({ ticket: { id, number, status } }) =>
        status === 'removed' ? [] : [{ id, label: number, within: null }],
      ),
      purchases: ofTickets(({ ticket, purchases }) =>
        purchases.map(({ id, kind, reference }) => ({ id, label: `${kind} ${reference}`, within: ticket.id })),
      ),
      contractors: named('contractor_projections'),
      locations: named('location_projections'),
    } satisfies RestoreParticipant['known'],
    /** Invoices that have or had a line on a ticket. */
    withLine: (after: string | null): Promise<Page> => pageOf({ line_version: { $gt: 0 } }, after),
    /** Invoices with a request for feedback that has no result yet. */
    withPendingFeedback: (after: string | null): Promise<Page> =>
      pageOf({ $or: [{ 'feedback.result': 'pending' }, { 'provider_statuses.result': 'pending' }] }, after),
    invoices: (ids: string[]): Promise<Invoice[]> =>
      invoices.find<Invoice>({ _id: { $in: ids }, version: { $gte: 0 } }, { projection: invoiceOnly }).toArray(),
    /** On that view of the ticket. */
    async onView(ticketId: string, viewId: string): Promise<Pick<Invoice, '_id' | 'client_id'>[]> {
      const ticket = await tickets.findOne({ _id: ticketId }, { projection: { client_id: 1 } });
      if (!ticket) return [];
      const filter = { client_id: ticket.client_id, ticket_id: ticketId, view_id: viewId };
      return invoices.find(filter, { projection: { client_id: 1 }, hint: 'linked' }).toArray();
    },
  };
}
