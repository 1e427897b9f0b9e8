import { isDeepStrictEqual } from 'node:util';
import type { List } from '@app/kernel';
import { ticketPriorities, ticketStatuses, type Worded } from '@app/kernel/words';
import { earliestDue, earliestWarning } from '../lifecycle/ticket-clocks.ts';
import { type Priority, priorities, type Status, type Ticket } from '../ticket.ts';
import { agendaKeys } from './agenda-keys.ts';

/**
 * The orders of tickets besides that of ids, and what files of them hold. A path is that of a stored ticket if the list
 * sorts by it, otherwise that of a row of a file.
 */
export const ticketList = {
  tenant: 'views.company_id',
  columns: {
    number: { path: 'number', type: 'text', title: { fr: 'Numéro', en: 'Number' } },
    title: { path: 'title', type: 'text', title: { fr: 'Titre', en: 'Title' } },
    status: {
      path: 'status',
      type: 'enum',
      words: ticketStatuses satisfies Record<Status, Worded>,
      title: { fr: 'Statut', en: 'Status' },
    },
    priorityLabel: {
      path: 'priority_label',
      type: 'enum',
      words: ticketPriorities satisfies Record<Priority, Worded>,
      title: { fr: 'Priorité', en: 'Priority' },
    },
    client: { path: 'client.name', type: 'text', title: { fr: 'Client', en: 'Client' } },
    contractors: { path: 'contractor_names', type: 'text', title: { fr: 'Prestataires', en: 'Contractors' } },
    places: { path: 'location_names', type: 'text', title: { fr: 'Lieux', en: 'Places' } },
    equipments: { path: 'equipment_names', type: 'text', title: { fr: 'Équipements', en: 'Equipment' } },
    work_date: {
      path: 'work_at',
      type: 'moment',
      from: 'work_after',
      to: 'work_before',
      about: 'for clients only: the earliest date that is planned, or else the last one that was done',
      optional: true,
      title: { fr: 'Visite ou intervention (UTC)', en: 'Visit or work (UTC)' },
    },
    due_date: {
      path: 'clock_due_at',
      type: 'moment',
      from: 'due_after',
      to: 'due_before',
      about: 'the earliest due date of what has not happened yet; to a contractor of the tickets that it has',
      optional: true,
      title: { fr: 'Échéance (UTC)', en: 'Deadline (UTC)' },
    },
    created_at: { path: 'created_at', type: 'moment', title: { fr: 'Créé le (UTC)', en: 'Created (UTC)' } },
    assigned_at: { path: 'assigned_at', type: 'moment', title: { fr: 'Affecté le (UTC)', en: 'Assigned (UTC)' } },
    updated_at: { path: 'updated_at', type: 'moment', title: { fr: 'Modifié le (UTC)', en: 'Updated (UTC)' } },
    closed_at: { path: 'closed_at', type: 'moment', title: { fr: 'Clos le (UTC)', en: 'Closed (UTC)' } },
    url: { path: 'url', type: 'text', title: { fr: 'Adresse', en: 'Address' } },
    priority: { path: 'priority_rank', type: 'money' },
  },
  indexes: [
    { name: 'updated', order: 'updated_at' },
    { name: 'priority', order: 'priority' },
    { name: 'work', order: 'work_date' },
    { name: 'clock_due', order: 'due_date' },
  ],
} as const satisfies List;

/** What lists sort and filter by, stored with the ticket. */
export type SortKeys = {
  /** 0 is none, 3 high. */
  priority_rank: number;
  /** When the work is: the earliest date that is still planned, or else the last one that was done; null: none. */
  work_at: Date | null;
  /** The prices of its quotes. */
  quote_amounts: number[];
  /** Null: nothing is due, or a pause holds it off. */
  clock_due_at: Date | null;
  /** When moves/ticket-timers.ts next looks whether it has a warning to tell; null: never. */
  warn_at: Date | null;
  /** See `agendaKeys`. */
  agenda: string[];
};

type Sorted = Pick<Ticket, 'priority' | 'dates' | 'quotes' | 'clock' | 'views' | 'client_id'>;

export function sortKeysOf(ticket: Sorted): SortKeys {
  const { priority, dates, quotes, clock } = ticket;
  return {
    priority_rank: priorities.indexOf(priority),
    work_at: workDateOf(dates),
    quote_amounts: quotes.map(({ price }) => Number(price)).filter(Number.isFinite),
    clock_due_at: earliestDue(clock),
    warn_at: earliestWarning(clock),
    agenda: agendaKeys(ticket),
  };
}

/** Those that differ. `warn_at` whenever the clock is another: what was told since has moved what is stored. */
export function changedSortKeys(before: Sorted, after: Sorted): Partial<SortKeys> {
  const former = sortKeysOf(before);
  const changed = Object.entries(sortKeysOf(after)).filter(
    ([name, value]) =>
      (name === 'warn_at' && after.clock !== before.clock) || !isDeepStrictEqual(value, former[name as keyof SortKeys]),
  );
  return Object.fromEntries(changed) as Partial<SortKeys>;
}

/** The next of what is planned, or else the last of what was done. */
export function workDateOf(dates: Ticket['dates']): Date | null {
  const startsOf = (state: string) => dates.filter((date) => date.state === state).map(({ start }) => start.getTime());
  const [planned, done] = [startsOf('planned'), startsOf('done')];
  if (planned.length > 0) return new Date(Math.min(...planned));
  return done.length > 0 ? new Date(Math.max(...done)) : null;
}
