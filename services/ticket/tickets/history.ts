// The write that changes a ticket pushes its entry, so that each exists if and only if its change does. Purchase documents and
// invoice lines have collections of their own, so that they weigh on no move, and are merged in when a history is read.
import { newId } from '@app/kernel';
import { type Operation, statusMachine } from './lifecycle/status-machine.ts';
import { isLive, type Quote, type Status, type Ticket, type TicketDate, type UserRef, type View } from './ticket.ts';
import { isCompetitor, isReportVisible, visibleDates, visibleQuotes } from './visibility.ts';

/** What an item of a history may be: an operation of the status machine, or something else that happened. */
export const historyOperations = [
  ...(Object.keys(statusMachine) as Operation[]),
  ...([
    'create',
    'add_report',
    'add_document',
    'add_purchase',
    'add_invoice',
    'remove_purchase',
    'remove_invoice',
    'dates_past',
    'end_validation',
    'withdraw',
    'update',
    'move_due_date',
  ] as const),
];
export type HistoryOperation = (typeof historyOperations)[number];

/** One change of a ticket, saved with it. `by` is null for a timer, `views` what became of each view whose status changed. */
export type HistoryEntry = {
  _id: string;
  at: Date;
  by: UserRef | null;
  operation: HistoryOperation;
  views: { _id: string; from: Status | null; to: Status }[];
  /** The directory entry whose quote it is about. */
  contractor_id: string | null;
  /** The date, quote or report that it is about. */
  about: string | null;
  text: string | null;
};

/** The history entry of a change; `details` reads the ticket as it is after the change. */
export type LogDraft = {
  operation: HistoryOperation;
  by: UserRef | null;
  details?: (after: Ticket) => Partial<Pick<HistoryEntry, 'contractor_id' | 'about' | 'text'>>;
};

/** Limit of the entries of a ticket: the oldest ones are dropped. */
export const entriesPerTicket = 500;
const maxTextLength = 500;

/** The entry of a change, and one for each quote that is no longer validated because of it. */
export function historyEntries(before: Ticket, after: Ticket, log: LogDraft): HistoryEntry[] {
  const entry = historyEntry(before, after, log);
  if (log.operation === 'decline_quote') return [entry];
  const validated = new Set(before.quotes.filter(({ status }) => status === 'validated').map(({ _id }) => _id));
  const ended = after.quotes.filter(({ _id, status }) => status === 'declined' && validated.has(_id));
  const details = ({ contractor_id, ...quote }: Quote) => ({ contractor_id, text: quoteText(quote) });
  return [
    entry,
    ...ended.map((quote) =>
      historyEntry(after, after, { operation: 'end_validation', by: null, details: () => details(quote) }),
    ),
  ];
}

function historyEntry(before: Ticket, after: Ticket, { operation, by, details }: LogDraft): HistoryEntry {
  const { contractor_id = null, about = null, text = null } = details?.(after) ?? {};
  const former = new Map(before.views.map(({ _id, status }) => [_id, status]));
  const moved = after.views.filter(({ _id, status }) => former.get(_id) !== status);
  return {
    _id: newId(after.updated_at),
    at: after.updated_at,
    by,
    operation,
    views: moved.map(({ _id, status }) => ({ _id, from: former.get(_id) ?? null, to: status })),
    contractor_id,
    about,
    text: text?.slice(0, maxTextLength) ?? null,
  };
}

/** Who did it, as far as known: a company, or one of its users. */
type Doer = { _id: string | null; firstName: string | null; lastName: string | null; company_id: string };

/** An item of a history as one company sees it. */
export type HistoryItem = {
  _id: string;
  at: Date;
  by: Doer | null;
  operation: HistoryOperation;
  from: Status | null;
  to: Status | null;
  text: string | null;
};

/**
 * Changes by the client that concern every contractor of the ticket. Not a date that it asked to reschedule: that may
 * be a competitor's.
 */
const shared = /^(edit|plan_|visit_|intervention_|add_report)/;

/** The entries that this view may see, in its own statuses; the client's view sees all. */
export function visibleEntries(entries: readonly HistoryEntry[], ticket: Ticket, own: View): HistoryItem[] {
  return entries.flatMap((entry) => {
    const { from = null, to = null } = entry.views.find(({ _id }) => _id === own._id) ?? {};
    const { _id, at, operation, text } = entry;
    const by = entry.by && doer(entry.by);
    const item = { _id, at, by, operation, from, to, text };
    if (own.role === 'client') return [item];
    // This contractor must not learn whether another one was chosen or the client withdrew.
    if (to === 'canceled' && operation !== 'cancel') return [{ ...item, by: null, operation: 'withdraw', text: null }];
    if (isOfCompetitor(entry, ticket, own))
      return to === null ? [] : [{ ...item, by: null, operation: 'update', text: null }];
    if (entry.by?.company_id === own.company_id || entry.contractor_id === own.contractor_id) return [item];
    // Due dates would tell those who were only asked of who has the ticket.
    const isOfClocks = operation === 'move_due_date' && own.state === 'active';
    const isShared = entry.by !== null && ((shared.test(operation) && isLive(own)) || isOfClocks);
    if (isShared) return [item];
    return to === null ? [] : [{ ...item, text: null }];
  });
}

/** Whether the entry is about another contractor, or made by one. */
function isOfCompetitor({ by, contractor_id, operation, views }: HistoryEntry, ticket: Ticket, own: View): boolean {
  if (contractor_id !== null && contractor_id !== own.contractor_id) return true;
  if (operation === 'expire') return views.every(({ _id, to }) => _id !== own._id || to !== 'declined');
  return by !== null && isCompetitor(by.company_id, ticket, own);
}

function doer({ _id, firstName, lastName, company_id }: UserRef): Doer {
  return { _id, firstName, lastName, company_id };
}

export function ofCompany(company_id: string, _id: string | null = null): Doer {
  return { _id, firstName: null, lastName: null, company_id };
}

/** Items that no entry has: the creation, and dates, quotes and reports whose entries were dropped. */
export function earlierItems(entries: readonly HistoryEntry[], ticket: Ticket, own: View): HistoryItem[] {
  const known = new Set(entries.map(({ about }) => about));
  const item = (given: Pick<HistoryItem, '_id' | 'at' | 'by' | 'operation' | 'text'>): HistoryItem[] =>
    known.has(given._id) ? [] : [{ ...given, from: null, to: null }];
  const company = (contractorId: string | null) =>
    ticket.views.find(({ contractor_id }) => contractor_id === contractorId)?.company_id ?? null;
  const by = (id: string | null | undefined) => (id ? ofCompany(id) : null);
  const creator = isCompetitor(ticket.created_by.company_id, ticket, own) ? null : doer(ticket.created_by);
  return [
    ...item({ _id: ticket._id, at: ticket.created_at, by: creator, operation: 'create', text: null }),
    ...visibleDates(ticket, own).flatMap(({ _id, created_at: at, company_id, category, type, start, end }) =>
      item({ _id, at, by: by(company_id), operation: dateOperation({ category, type }), text: period({ start, end }) }),
    ),
    ...visibleQuotes(ticket.quotes, own).flatMap(({ _id, added_at: at, contractor_id, ...quote }) =>
      item({ _id, at, by: by(company(contractor_id)), operation: 'add_quote', text: quoteText(quote) }),
    ),
    ...ticket.reports
      .filter((report) => isReportVisible(report, ticket, own))
      .flatMap(({ _id, added_at: at, company_id, file }) =>
        item({ _id, at, by: by(company_id), operation: 'add_report', text: file.name }),
      ),
  ];
}

export function dateOperation({ category, type }: Pick<TicketDate, 'category' | 'type'>): HistoryOperation {
  return type === 'planned' ? `plan_${category}` : `${category}_done`;
}

/** The period as an ISO 8601 interval. */
export function period({ start, end }: Pick<TicketDate, 'start' | 'end'>): string {
  return `${start.toISOString()}/${end.toISOString()}`;
}

/** `D-1 1234.56`, with ` TTC` after a price with VAT. */
export function quoteText({
  reference,
  price,
  includes_vat,
}: Pick<Quote, 'reference' | 'price' | 'includes_vat'>): string {
  return `${reference} ${price}${includes_vat ? ' TTC' : ''}`;
}
