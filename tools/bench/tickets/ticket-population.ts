import { newId } from '@app/kernel';
import { createTicket } from '@app/ticket/creation/create-ticket.ts';
import { assign, finish } from '@app/ticket/moves/moves.ts';
import { storedForm } from '@app/ticket/tickets/stores/ticket-collection.ts';
import { type Actor, type Ticket, typologies, type UserRef } from '@app/ticket/tickets/ticket.ts';
import type { Collection } from 'mongodb';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import { newTicket } from './ticket-pool.ts';

/** The companies of one population, and the times its filters use (milliseconds since 1970). */
export type Population = Awaited<ReturnType<typeof populate>>;

/** How many tickets match each filter, whatever the size of the population: one page. */
export const matching = 50;
const spacingMs = 100_000;
const hourMs = 3_600_000;
/** Ordinary tickets at both ends, so that filters on creation match as many in every population. */
const margin = matching + 10;

/**
 * Tickets of one client, all of them assigned to one contractor, made by the rules of the ticket service itself: nearly
 * all for maintenance, with a few of every other kind spread evenly among them.
 */
export async function populate(tickets: Collection<Ticket>, size: number, progress: (line: string) => void) {
  const [client, guest, contractor, entry] = [newId(), newId(), newId(), newId()];
  const end = Date.now() - 24 * hourMs;
  const createdAt = (index: number) => end - (size - index) * spacingMs;
  const make = createGenerator({
    client,
    guest,
    contractor: { id: entry, company_id: contractor },
    size,
    end,
    createdAt,
  });
  const ids: string[] = [];
  await insertInBatches({ size, what: 'tickets', progress }, async (from, length) => {
    const made = Array.from({ length }, (_, index) => make(from + index)).flat();
    for (const { _id, client_id } of made) if (client_id === client) ids.push(_id);
    // Not to be counted: that would go on in the background while the bench measures.
    const stored = made.map((ticket) => ({ ...storedForm(ticket), uncounted: [] }));
    await tickets.insertMany(stored, unordered);
  });
  return {
    size,
    client,
    /** A client of few tickets, to be found by `client_id` among those of the other. */
    guest,
    contractor,
    /** Sorted. */
    ids: ids.sort(),
    /** Of the tickets in order of creation, in milliseconds. */
    createdAt,
    /** After the first time `matching` tickets were assigned, after the second as many were finished. */
    assignedAfter: end,
    updatedAfter: end + hourMs + 1,
  };
}

type GeneratorOptions = Pick<Population, 'size' | 'client' | 'guest' | 'createdAt'> & {
  contractor: { id: string; company_id: string };
  end: number;
};

/** A person of a client, who does everything. */
export function clientActor(companyId: string): Actor & { user: UserRef } {
  const person = { _id: newId(), firstName: 'Ada', lastName: 'Bench', email: 'ada@bench.example' };
  return { party: 'client', companyId, user: { ...person, company_id: companyId } };
}

/** @returns the tickets at a place in the order of creation: one, or two if the guest has one there too */
function createGenerator(options: GeneratorOptions): (index: number) => Ticket[] {
  const { client, guest, contractor, size, end, createdAt } = options;
  const step = Math.floor((size - 2 * margin) / matching);
  const actor = clientActor(client);
  const number = (index: number) => `T-${String(index + 1).padStart(6, '0')}`;
  const made = (index: number, input: { typology_id: string; client: string; assigned: boolean }) =>
    createTicket(
      {
        input: { ...newTicket, typology_id: input.typology_id },
        number: number(index),
        client: { _id: input.client, name: 'Bench growth' },
        by: actor.user,
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
