import type { TicketSchemas } from '@app/api-client';
import { anyText, isId } from '../../routing/url-state.ts';
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
    'to-plan': ['assigned', 'toplan', 'waitingplan', 'toreplan', 'validated'],
    'to-confirm': ['visit_devis', 'intervention_finish'],
  },
} as const satisfies Record<Party, Record<string, readonly Status[]>>;

type BuiltInFilterName = keyof (typeof builtInFilters)['client'] | keyof (typeof builtInFilters)['contractor'];

export function builtInFiltersOf(party: Party): [BuiltInFilterName, readonly Status[]][] {
  return Object.entries(builtInFilters[party]) as [BuiltInFilterName, readonly Status[]][];
}

/** What the list sorts by; the first one is the order of creation. Contractors must not learn when others work. */
export const sortColumns: Record<Party, readonly SortColumn[]> = {
  client: ['created_at', 'updated_at', 'work_date', 'due_date', 'priority'],
  contractor: ['created_at', 'updated_at', 'due_date', 'priority'],
};
type SortColumn = 'created_at' | 'updated_at' | 'work_date' | 'due_date' | 'priority';

/** The filters in the address of the list. */
export type Filter = {
  view?: BuiltInFilterName | undefined;
  status?: Status | undefined;
  q?: string | undefined;
  priority?: Priority | undefined;
  contractor?: string | undefined;
  place?: string | undefined;
  manager?: string | undefined;
  due?: 'overdue' | undefined;
  sort?: SortColumn | undefined;
  order?: 'asc' | 'desc' | undefined;
};

/**
 * The allowed values of `Filter` in the address. Some are for clients alone: a contractor sees
 * neither the directory nor the locations.
 */
export function filtersOf(party: Party) {
  const isChoice = (value: string) => party === 'client' && isId(value);
  return {
    view: builtInFiltersOf(party).map(([name]) => name),
    status: statuses,
    q: anyText,
    priority: priorities,
    contractor: isChoice,
    place: isChoice,
    manager: isChoice,
    due: ['overdue'],
    sort: sortColumns[party],
    order: ['asc', 'desc'],
  } as const;
}

/** The query of the API. A chosen status takes precedence over those of the view. */
export function listQuery(filter: Filter, party: Party) {
  const { view, status, q, priority, contractor, place, manager, due, sort, order = 'desc' } = filter;
  const ofFilter = builtInFiltersOf(party).find(([name]) => name === view)?.[1];
  const wanted = status ? [status] : ofFilter;
  return {
    order,
    ...(sort && { sort }),
    ...(wanted && { status: [...wanted] }),
    ...(q && { q }),
    ...(priority && { priority }),
    ...(contractor && { contractor_id: contractor }),
    ...(place && { location_id: place }),
    ...(manager && { manager_id: manager }),
    ...(due && { overdue: 'true' as const }),
  };
}

/** What the API counts, up to a limit for each status. */
export type Counts = { status: Partial<Record<Status, number>>; limit: number };

/** How many tickets have one of these statuses. `isMore`: there may be more than were counted. */
export function countOf(wanted: readonly Status[], { status, limit }: Counts): { count: number; isMore: boolean } {
  const counts = wanted.map((one) => status[one] ?? 0);
  return { count: counts.reduce((sum, one) => sum + one, 0), isMore: counts.some((one) => one >= limit) };
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

type SavedFilter = { name: string; query: string };

export const maxSavedFilters = 20;

/** The valid saved views in the preferences: the API stores any JSON there. */
export function savedFilters(stored: unknown): SavedFilter[] {
  if (!Array.isArray(stored)) return [];
  const isSavedFilter = (one: Partial<SavedFilter> | null) =>
    typeof one?.name === 'string' && typeof one.query === 'string';
  return stored.filter(isSavedFilter).slice(0, maxSavedFilters);
}
