import { newId } from '@app/kernel';
import { createTicket } from '@app/ticket/creation/create-ticket.ts';
import { assign, finish } from '@app/ticket/moves/moves.ts';
import { type Actor, type Ticket, typologies, type UserRef } from '@app/ticket/tickets/ticket.ts';
import { bucketsOf } from '@app/ticket/tickets/ticket-buckets.ts';
import type { Collection } from 'mongodb';

/** Companies of one population, and moments that its filters ask about. */
export type Population = {
  size: number;
  client: string;
  /** A client of few tickets, to be found by `client_id` among those of the other. */
  guest: string;
  contractor: string;
  /** Sorted. */
  ids: string[];
  /** Of the tickets in order of creation, in milliseconds. */
  createdAt: (index: number) => number;
  /** The few that were assigned late, and then the few that were finished. */
  assignedAfter: number;
  updatedAfter: number;
};

/** So many tickets match each filter, however many there are: a page. */
export const matching = 50;
const spacingMs = 100_000;
const hourMs = 3_600_000;
const batchSize = 1_000;
const batchesInFlight = 3;
/** The first and the last tickets are nothing special, so that the filters on creation match alike in every population. */
const margin = matching + 10;

/**
 * Tickets of one client, all of them assigned to one contractor, made by the rules of the ticket service itself: nearly
 * all for maintenance, with a few of every other kind spread evenly among them. Batch by batch: a million never stands
 * in memory.
 */
export async function populate(
  tickets: Collection<Ticket>,
  size: number,
  progress: (done: number) => void,
): Promise<Population> {
  const [client, guest, contractor, entry] = [newId(), newId(), newId(), newId()];
  const end = Date.now() - 24 * hourMs;
  const createdAt = (index: number) => end - (size - index) * spacingMs;
  const make = maker({ client, guest, contractor: { id: entry, company_id: contractor }, size, end, createdAt });
  const ids: string[] = [];
  const flights = new Set<Promise<unknown>>();
  for (let from = 0; from < size; from += batchSize) {
    const made = Array.from({ length: Math.min(batchSize, size - from) }, (_, index) => make(from + index)).flat();
    for (const { _id, client_id } of made) if (client_id === client) ids.push(_id);
    const batch = made.map((ticket) => ({ ...ticket, ...bucketsOf(ticket) }));
    const flight: Promise<unknown> = tickets
      .insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } })
      .then(() => flights.delete(flight));
    flights.add(flight);
    if (flights.size >= batchesInFlight) await Promise.race(flights);
    progress(from + batch.length);
  }
  await Promise.all(flights);
  return {
    ...{ size, client, guest, contractor, ids: ids.sort(), createdAt },
    assignedAfter: end,
    updatedAfter: end + hourMs + 1,
  };
}

type Making = {
  client: string;
  guest: string;
  contractor: { id: string; company_id: string };
  size: number;
  end: number;
  createdAt: (index: number) => number;
};

/** @returns the tickets that stand at a place in the order of creation: one, or two where the guest has one there */
function maker({ client, guest, contractor, size, end, createdAt }: Making): (index: number) => Ticket[] {
  const step = Math.floor((size - 2 * margin) / matching);
  const by: UserRef = {
    _id: newId(),
    firstName: 'Ada',
    lastName: 'Bench',
    email: 'ada@bench.example',
    company_id: client,
  };
  const actor: Actor = { party: 'client', companyId: client, user: by };
  const number = (index: number) => `T-${String(index + 1).padStart(6, '0')}`;
  const made = (index: number, input: { typology_id: string; client: string; assigned: boolean }) =>
    createTicket(
      {
        input: { title, description, priority: 'high', price_threshold: 500.5, typology_id: input.typology_id },
        number: number(index),
        client: { _id: input.client, name: 'Bench growth' },
        by,
        ...(input.assigned ? { contractor } : {}),
      },
      new Date(createdAt(index)),
    );
  return (index) => {
    const place = index >= margin && index < margin + step * matching ? (index - margin) % step : -1;
    const plain = { typology_id: typologies.maintenance, client, assigned: true };
    const ticket = made(index, { ...plain, assigned: place !== 3, typology_id: typologyAt(place) });
    if (place === 2) return [ticket, made(index, { ...plain, client: guest })];
    if (place === 3) return [assign(ticket, actor, new Date(end + 1), { contractor }).ticket];
    if (place === 4) return [finish(ticket, actor, new Date(end + 2 * hourMs), { reserve: null }).ticket];
    return [ticket];
  };
}

function typologyAt(place: number): string {
  if (place === 0) return typologies.sinistre;
  return place === 1 ? typologies.curatif : typologies.maintenance;
}

const title = 'Cold room too warm';
const description =
  'The cold room of the fresh food aisle has shown 9 °C since this morning; the door closes as it should.';
