import type { LinkedInvoice } from '@app/matching';
import type { Connection } from 'mongoose';
import { invoicesOf } from './invoice-store.ts';
import { onTickets as asOnTickets, type OnTicket, readCounts } from './on-ticket.ts';
import { createQuestions, type Question } from './questions-store.ts';

/** What is on tickets already. */
export type OnTicketStore = {
  /** Who is on these tickets, with what each counts there. */
  onTickets(clientId: string, ticketIds: string[], exceptId: string): Promise<OnTicket[]>;
  /** The same of very many tickets, by ticket and in short: what each invoice there counts. */
  countsOn(clientId: string, ticketIds: string[], exceptId: string): Promise<Map<string, LinkedInvoice[]>>;
};

const mostOnTickets = 2_000;
const hint = 'placed';
const ofPlaces = {
  ...{ 'canonical.kind': 1, 'canonical.number': 1, 'canonical.amounts': 1, 'canonical.references': 1 },
  ...{ 'keys.siren': 1, ticket_id: 1, claims: 1 },
} as const;

export function createOnTicketStore({ connection }: { connection: Connection }): OnTicketStore {
  const { collection } = invoicesOf(connection);
  const asked = createQuestions<Question, OnTicket>({
    valuesOf: ({ ticketId }) => [ticketId],
    async find({ clientId, values }, limit) {
      const filter = { client_id: clientId, ticket_id: { $in: values } };
      const found = await collection.find(filter, { projection: ofPlaces, hint }).limit(limit).toArray();
      return asOnTickets(found.map(({ keys, ...one }) => ({ ...one, siren: keys.siren ?? null })));
    },
    limit: mostOnTickets,
    limitTogether: mostOnTickets,
  });

  const store: OnTicketStore = {
    async onTickets(clientId, ticketIds, exceptId) {
      if (ticketIds.length === 0) return [];
      const found = await asked({ clientId, values: ticketIds });
      return found.filter(({ invoiceId }) => invoiceId !== exceptId);
    },
    async countsOn(client_id, ticketIds, exceptId) {
      if (ticketIds.length === 0) return new Map();
      const placed = { client_id, ticket_id: { $in: ticketIds }, _id: { $ne: exceptId } };
      const found = await collection.aggregate<Counts>([{ $match: placed }, gathered], { hint }).toArray();
      const counts = found.map(({ _id, all }) => [_id, all.map(readCounts)] as const);
      // Which ones a corrective invoice replaces is not told by amounts: these tickets are looked at whole.
      const corrected = counts.filter(([, all]) => all.some(({ replaces }) => replaces)).map(([id]) => id);
      const whole = Map.groupBy(await store.onTickets(client_id, corrected, exceptId), ({ ticketId }) => ticketId);
      return new Map<string, LinkedInvoice[]>([...counts, ...whole]);
    },
  };
  return store;
}

/** Of a ticket, from the index alone: what each counts that stands on it. */
type Counts = { _id: string; all: (string | null)[] };
const gathered = { $group: { _id: '$ticket_id', all: { $push: '$counts' } } };
