import { type NewEvent, type TicketSnapshot, ticketAssigned, ticketChanged } from '@app/contracts';
import { activeView, statusOf, type Ticket, type TicketDate } from './ticket.ts';

/** The fields of a ticket that its snapshot is made of, besides id, version and times. */
const sourceFields = [
  'number',
  'title',
  'client_id',
  'typology_id',
  'maintenance',
  'location_ids',
  'views',
  'dates',
  'quotes',
];
export const snapshotFields = ['_id', 'version', 'created_at', 'updated_at', ...sourceFields] as (keyof Ticket)[];

/** The ticket at its version as other services keep it in their projections. */
export function ticketSnapshot(ticket: Ticket): TicketSnapshot {
  const { _id, version, number, title, client_id, typology_id, maintenance, location_ids } = ticket;
  return {
    id: _id,
    version,
    number,
    title,
    client_id,
    status: statusOf(ticket),
    typology_id,
    maintenance,
    location_ids,
    created_at: ticket.created_at.toISOString(),
    updated_at: ticket.updated_at.toISOString(),
    last_intervention_at: lastIntervention(ticket.dates)?.toISOString() ?? null,
    views: ticket.views.map((view) => ({
      id: view._id,
      role: view.role,
      company_id: view.company_id,
      contractor_id: view.contractor_id,
      state: view.state,
      status: view.status,
    })),
    quotes: ticket.quotes.map((quote) => ({
      id: quote._id,
      reference: quote.reference,
      price: quote.price,
      includes_vat: quote.includes_vat,
      status: quote.status,
      contractor_id: quote.contractor_id,
      validated_at: quote.validated_at?.toISOString() ?? null,
    })),
  };
}

/** The events of a change, or of a new ticket (`before` null); none if the snapshot is the same as before. */
export function snapshotEvents(before: Ticket | null, after: Ticket): NewEvent[] {
  if (before && hasSameSnapshot(before, after)) return [];
  const changed = ticketChanged({ ticket: ticketSnapshot(after) }, after.updated_at, after._id);
  return [changed, ...assignmentEvents(before, after)];
}

/** An assignment event if the ticket has another contractor than before, or its contractor got an account. */
function assignmentEvents(before: Ticket | null, after: Ticket): NewEvent[] {
  const [had, has] = [before && contractorOf(before), contractorOf(after)];
  const same = (had?.contractor_id ?? null) === has.contractor_id && (had?.company_id ?? null) === has.company_id;
  if (same) return [];
  const { _id, client_id, version, updated_at } = after;
  return [ticketAssigned({ ticket_id: _id, client_id, version, ...has }, updated_at, _id)];
}

function contractorOf(ticket: Ticket): { contractor_id: string | null; company_id: string | null } {
  const view = activeView(ticket);
  return { contractor_id: view?.contractor_id ?? null, company_id: view?.company_id ?? null };
}

/** Rules never change a value in place, so identical fields are equal; only otherwise the snapshots are compared. */
function hasSameSnapshot(before: Ticket, after: Ticket): boolean {
  const parts = sourceFields as (keyof Ticket)[];
  return parts.every((part) => before[part] === after[part]) || comparable(before) === comparable(after);
}

function comparable(ticket: Ticket): string {
  const { version, updated_at, ...rest } = ticketSnapshot(ticket);
  return JSON.stringify(rest);
}

/** The start of the last intervention that took place, otherwise of the last planned one. */
function lastIntervention(dates: TicketDate[]): Date | null {
  const interventions = dates.filter(({ category }) => category === 'intervention');
  const done = interventions.filter(({ type }) => type === 'actual');
  const counted = done.length > 0 ? done : interventions.filter(({ state }) => state === 'planned');
  return counted.length === 0 ? null : new Date(Math.max(...counted.map(({ start }) => start.getTime())));
}
