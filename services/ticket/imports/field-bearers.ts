import { changeContractor, type VersionedContractor } from '../contractors/contractor.ts';
import { editTicket } from '../creation/edit-ticket.ts';
import type { Actor, Ticket } from '../tickets/ticket.ts';
import type { Csv } from './csv.ts';
import { type Bearers, keyIn, type SentValue } from './field-value-plan.ts';

export function contractorBearers(directory: readonly VersionedContractor[]): Bearers<VersionedContractor> {
  const keys = ['_id', 'siret', 'name'] as const;
  return {
    target: 'contractor',
    keys,
    all: directory,
    keyOf: ({ contractor }, column) => contractor[column as (typeof keys)[number]],
    nameOf: ({ contractor }) => contractor.name,
    valuesOf: ({ contractor }) => contractor.fields,
    with({ contractor, version }, fields) {
      return { contractor: changeContractor(contractor, { fields }, null).contractor, version: version + 1 };
    },
  };
}

/** What an import of values sees of a ticket: other changes of it do not outdate a preview. `sent`: what it changes. */
export type ImportedTicket = Pick<Ticket, '_id' | 'number' | 'title' | 'fields'> & { sent: SentValue[] };

const ticketKeys = ['_id', 'number'] as const;

/** The ids and the numbers that the rows of a file name. */
export function ticketsNamed({ rows }: Csv): { ids: string[]; numbers: string[] } {
  const named = Map.groupBy(
    rows.map((row) => keyIn(row, ticketKeys)),
    ([column]) => column,
  );
  const of = (column: string) => [...new Set(named.get(column)?.map(([, wanted]) => wanted))];
  return { ids: of('_id'), numbers: of('number') };
}

export function ticketBearers(tickets: readonly Ticket[], actor: Actor, now: Date): Bearers<ImportedTicket> {
  const byId = new Map(tickets.map((ticket) => [ticket._id, ticket]));
  return {
    target: 'ticket',
    keys: ticketKeys,
    all: tickets.map(({ _id, number, title, fields }) => ({ _id, number, title, fields, sent: [] })),
    keyOf: (ticket, column) => ticket[column as (typeof ticketKeys)[number]],
    nameOf: ({ number, title }) => `${number} ${title}`,
    valuesOf: ({ fields }) => fields,
    with(ticket, sent) {
      const { fields } = editTicket(byId.get(ticket._id) as Ticket, actor, now, { fields: sent }).ticket;
      return { ...ticket, fields, sent };
    },
  };
}
