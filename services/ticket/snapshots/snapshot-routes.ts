import { type ContractorSnapshot, ticketSnapshotSchema } from '@app/contracts';
import { id, nullableString, type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { loadVisibleTicket } from '../tickets/ticket-route-base.ts';
import { ticketSnapshot } from '../tickets/ticket-snapshot.ts';

type Deps = {
  tickets: TicketStore;
  contractors: ContractorStore;
  referentials: Pick<ReferentialStore, 'placesBelow'>;
};
type TicketParams = { ticket_id: string };
type ContractorParams = { contractor_id: string };

const internal = { host: 'internal', method: 'get', tag: 'Internal', access: { permission: null } } as const;
const contractorReply = Joi.object({
  id: Joi.string(),
  version: Joi.number(),
  client_id: Joi.string(),
  name: Joi.string(),
  company_id: nullableString,
  siret: nullableString,
  siren: nullableString,
});

type Places = { place_ids: string[] | null };
const placesReply = Joi.object<Places>({ place_ids: Joi.array().items(id).allow(null) });

/** Snapshots for a service whose projection lacks them, on behalf of the client that owns them. */
export function snapshotRoutes({ tickets, contractors, referentials }: Deps): Route[] {
  return [
    route<object, { location_id?: string }, object, undefined>({
      ...internal,
      path: '/internal/places',
      summary: 'A place with all below it, or those that the caller is limited to; null: every place',
      query: Joi.object<{ location_id?: string }>({ location_id: id }),
      reply: { status: 200, schema: placesReply },
      async handle({ caller, query: { location_id } }): Promise<Places> {
        const place_ids = location_id && (await referentials.placesBelow(caller.companyId, [location_id]));
        return { place_ids: place_ids || (caller.placeIds ?? null) };
      },
    }),
    route<TicketParams, object, object, Ticket>({
      ...internal,
      path: '/internal/tickets/:ticket_id/snapshot',
      summary: "The facts of a client's own ticket",
      params: Joi.object<TicketParams>({ ticket_id: id.required() }),
      async load({ params, caller }) {
        const ticket = await loadVisibleTicket(tickets, params.ticket_id, caller);
        if (ticket.client_id === caller.companyId) return ticket;
        throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket of this client');
      },
      reply: { status: 200, schema: ticketSnapshotSchema },
      handle: async ({ resource: found }) => ticketSnapshot(found),
    }),
    route<ContractorParams, object, object, ContractorSnapshot>({
      ...internal,
      path: '/internal/contractors/:contractor_id/snapshot',
      summary: "The facts of an entry of a client's own directory",
      params: Joi.object<ContractorParams>({ contractor_id: id.required() }),
      async load({ params, caller }) {
        const snapshot = await contractors.snapshot(caller.companyId, params.contractor_id);
        if (snapshot) return snapshot;
        throw new AppError('not_found', 'contractor_not_found', 'there is no such contractor');
      },
      reply: { status: 200, schema: contractorReply },
      handle: async ({ resource: found }) => found,
    }),
  ];
}
