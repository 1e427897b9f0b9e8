import {
  type ContractorSnapshot,
  contractorChanged,
  type LocationSnapshot,
  locationChanged,
  type NewEvent,
  ticketChanged,
} from '@app/contracts';
import type { Ticket } from '../tickets/ticket.ts';
import { ticketSnapshot } from '../tickets/ticket-snapshot.ts';

/** A fact told again, as it stands now: the same event as when it came true. */
export type Fact = { id: string; event: NewEvent };

export function ticketFact(ticket: Ticket, at: Date): Fact {
  return { id: ticket._id, event: ticketChanged({ ticket: ticketSnapshot(ticket) }, at, ticket._id) };
}

export function contractorFact(contractor: ContractorSnapshot, at: Date): Fact {
  return { id: contractor.id, event: contractorChanged({ contractor }, at, contractor.id) };
}

export function locationFact(location: LocationSnapshot, at: Date): Fact {
  return { id: location.id, event: locationChanged({ location }, at, location.id) };
}
