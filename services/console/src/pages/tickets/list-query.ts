import type { TicketSchemas } from '@app/api-client';
import type { Counted } from '../../i18n/format.ts';
import { isDay, startOfDay } from '../../routing/days.ts';
import { anyText, isAmount, isId } from '../../routing/url-state.ts';
import { areGroups, ticketFigures } from '../../words/figure-words.ts';
import { ticketStatuses } from '../../words/status-words.ts';

export type Ticket = TicketSchemas['Ticket'];
export type Status = Ticket['status'];
export type Priority = Ticket['priority_label'];
export type Party = 'client' | 'contractor';

export const statuses = Object.keys(ticketStatuses) as Status[];
export const priorities = ['high', 'medium', 'low', 'none'] as const satisfies readonly Priority[];

/** The built-in views of clients and of contractors: each is a list of statuses that need them. */
const builtInFilters = {
  client: {
    'to-assign': ['opened', 'waiting', 'declined'],
    'quotes-to-decide': ['validation'],
    'dates-passed': ['visit_devis', 'intervention_finish'],
    'to-close': ['finished'],
  },
  contractor: {
    'to-answer': ['proposed'],
    'to-plan': ['waiting_contractor', 'assigned', 'toplan', 'waitingplan', 'toreplan', 'validated'],
    'to-confirm': ['visit_devis', 'intervention_finish'],
  },
} as const satisfies Record<Party, Record<string, readonly Status[]>>;

type BuiltInFilterName = keyof (typeof builtInFilters)['client'] | keyof (typeof builtInFilters)['contractor'];

export function builtInFiltersOf(party: Party): [BuiltInFilterName, readonly Status[]][] {
  return Object.entries(builtInFilters[party]) as [BuiltInFilterName, readonly Status[]][];
}

/** The views of the list: a client also looks at what waits for a date of its contractors. */
export function listViewsOf(party: Party): [BuiltInFilterName, readonly Status[]][] {
  const toPlan = builtInFiltersOf('contractor').filter(([name]) => name === 'to-plan');
  return [...builtInFiltersOf(party), ...(party === 'client' ? toPlan : [])];
}

/** What the list sorts by; the first one is the order of creation. Contractors must not learn when others work. */
export const sortColumns: Record<Party, readonly SortColumn[]> = {
  client: ['created_at', 'updated_at', 'work_date', 'due_date', 'priority'],
  contractor: ['created_at', 'updated_at', 'due_date', 'priority'],
};
type SortColumn = 'created_at' | 'updated_at' | 'work_date' | 'due_date' | 'priority';

const clientDays = ['work_from', 'work_to'] as const;
const days = ['created_from', 'created_to', 'updated_from', 'due_from', 'due_to', 'countedFrom', 'countedTo'] as const;
const amounts = ['quote_from', 'quote_to'] as const;
type Range = (typeof days | typeof clientDays | typeof amounts)[number];

/** The ranges that the list is filtered by. Contractors must not learn when others work, or for how much. */
export function rangesOf(party: Party) {
  const isClient = party === 'client';
  return { days: [...days, ...(isClient ? clientDays : [])], amounts: isClient ? amounts : [] };
}

/** The filters in the address of the list. Days are in the user's time zone; those of `countedIn` in UTC, as figures have them. */
export type Filter = {
  view?: BuiltInFilterName | 'all' | undefined;
  status?: Status | undefined;
  q?: string | undefined;
  priority?: Priority | undefined;
  equipment?: string | undefined;
  due?: 'overdue' | undefined;
  countedIn?: string | undefined;
  countedOf?: string | undefined;
  sort?: SortColumn | undefined;
  order?: 'asc' | 'desc' | undefined;
} & Whose & { [One in Range]?: string | undefined };

/** For or by whom, and where. */
export type Whose = { [One in 'client' | 'contractor' | 'place' | 'manager']?: string | undefined };

/**
 * The allowed values of `Filter` in the address. Some are for clients alone: a contractor sees
 * neither the directory nor the locations, and filters by client.
 */
export function filtersOf(party: Party) {
  const isClient = party === 'client';
  const isChoice = (value: string) => isClient && isId(value);
  const ifClient = (test: (value: string) => boolean) => (value: string) => isClient && test(value);
  return {
    view: ['all', ...listViewsOf(party).map(([name]) => name)],
    status: statuses,
    q: anyText,
    priority: priorities,
    client: (value: string) => !isClient && isId(value),
    contractor: isChoice,
    place: isChoice,
    equipment: isChoice,
    manager: isChoice,
    due: ['overdue'],
    countedIn: Object.keys(ticketFigures),
    countedOf: areGroups,
    countedFrom: isDay,
    countedTo: isDay,
    created_from: isDay,
    created_to: isDay,
    updated_from: isDay,
    due_from: isDay,
    due_to: isDay,
    work_from: ifClient(isDay),
    work_to: ifClient(isDay),
    quote_from: ifClient(isAmount),
    quote_to: ifClient(isAmount),
    sort: sortColumns[party],
    order: ['asc', 'desc'],
  } as const;
}

/** The query of the API. A chosen status takes precedence over those of the view. */
export function listQuery(filter: Filter, party: Party, timeZone: string) {
  const { priority, client, contractor, place, equipment, manager } = filter;
  const { view, status, q, due, sort, order = 'desc' } = filter;
  const ofFilter = listViewsOf(party).find(([name]) => name === view)?.[1];
  const wanted = status ? [status] : ofFilter;
  const begin = (day: string, daysLater = 0) => String(Date.parse(startOfDay(day, timeZone, daysLater)));
  const { created_from, created_to, updated_from, due_from, due_to } = filter;
  const { work_from, work_to, quote_from, quote_to } = filter;
  const { countedIn, countedOf, countedFrom, countedTo } = filter;
  return {
    order,
    ...(sort && { sort }),
    ...(wanted && { status: [...wanted] }),
    ...(q && { q }),
    ...(priority && { priority }),
    ...(client && { client_id: client }),
    ...(contractor && { contractor_id: contractor }),
    ...(place && { location_id: place }),
    ...(equipment && { equipment_id: equipment }),
    ...(manager && { manager_id: manager }),
    ...(due && { overdue: 'true' as const }),
    ...(created_from && { created_after: begin(created_from) }),
    ...(created_to && { created_before: begin(created_to, 1) }),
    ...(updated_from && { updated_after: begin(updated_from) }),
    ...(due_from && { due_after: begin(due_from) }),
    ...(due_to && { due_before: begin(due_to, 1) }),
    ...(work_from && { work_after: begin(work_from) }),
    ...(work_to && { work_before: begin(work_to, 1) }),
    ...(quote_from && { quote_from: Number(quote_from) }),
    ...(quote_to && { quote_to: Number(quote_to) }),
    ...(countedIn && { counted_in: countedIn as 'open' }),
    ...(countedOf && { counted_of: countedOf }),
    ...(countedFrom && { counted_from: countedFrom }),
    ...(countedTo && { counted_to: countedTo }),
  };
}

/** What the API counts, each up to the limit. */
export type Counts = { status: Partial<Record<Status, number>>; overdue: number | null; limit: number };

/** How many tickets have one of these statuses. `isMore`: there may be more than were counted. */
export function countOf(wanted: readonly Status[], { status, limit }: Counts): Counted {
  const counts = wanted.map((one) => status[one] ?? 0);
  return { count: counts.reduce((sum, one) => sum + one, 0), isMore: counts.some((one) => one >= limit) };
}

/** How many tickets are overdue, or were counted at least; undefined if that is not known. */
export function overdueIn({ overdue, limit }: Counts): Counted | undefined {
  return overdue === null ? undefined : { count: overdue, isMore: overdue >= limit };
}

const over: readonly Status[] = ['finished', 'closed', 'canceled', 'removed', 'declined'];

/** Whether a date that is still planned is not to come any more. */
export function isOver({ status }: Pick<Ticket, 'status'>): boolean {
  return over.includes(status);
}

type WorkDates = Pick<
  Ticket,
  'status' | 'intervention_scheduled_at' | 'intervention_occured_at' | 'visit_scheduled_at'
>;

const ofVisits: readonly Status[] = ['visit', 'visit_devis'];

/**
 * When the work is, or the visit before it: the next of the planned dates, or the last one that has passed. Once it is
 * over: when it was done.
 */
export function workDate(ticket: WorkDates, now: Date): string | null {
  const inOrder = (dates: readonly (string | null)[]) => dates.filter((date) => date !== null).sort();
  const planned = inOrder(
    ofVisits.includes(ticket.status) ? ticket.visit_scheduled_at : ticket.intervention_scheduled_at,
  );
  const isToCome = (date: string) => Date.parse(date) >= now.getTime();
  const next = isOver(ticket) ? inOrder(ticket.intervention_occured_at).at(-1) : planned.find(isToCome);
  return next ?? planned.findLast((date) => !isToCome(date)) ?? null;
}
