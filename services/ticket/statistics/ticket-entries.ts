import { toldByPeople } from '@app/contracts';
import { dayOf, type Entry, minutesBetween, toCents } from '@app/service/entries';
import { clockNames } from '../clocks/clocks.ts';
import type { LineOnTicket } from '../invoices/invoice-line.ts';
import type { Purchase } from '../purchases/purchase.ts';
import type { HistoryEntry } from '../tickets/history.ts';
import { liveQuotes } from '../tickets/lifecycle/decision.ts';
import {
  activeView,
  clientView,
  isLive,
  type Status,
  statuses,
  statusOf,
  type Ticket,
  type View,
} from '../tickets/ticket.ts';
import { visibleDates } from '../tickets/visibility.ts';
import { type Timeline, timelineOf } from './timeline.ts';

/** A ticket with all that counts with it: its history, and the purchase documents and invoice lines on it. */
export type CountedTicket = {
  ticket: Ticket;
  history: readonly HistoryEntry[];
  /** Those that are not deleted. */
  purchases: readonly Purchase[];
  lines: readonly LineOnTicket[];
};

/** The figures of tickets. */
export const figures = {
  open: 'open',
  quotes: 'quotes',
  planned: 'planned',
  ordered: 'ordered',
  agreed: 'agreed',
  invoiced: 'invoiced',
  billed: 'billed',
  uninvoiced: 'uninvoiced',
  work: 'work',
  deadlines: 'deadlines',
} as const;

/** Statuses in which something is still to be done. */
export const openStatuses: readonly Status[] = statuses.filter(
  (status) => !['draft', 'finished', 'closed', 'canceled', 'removed'].includes(status),
);

/** Amounts of documents that name no currency. */
const ownCurrency = 'EUR';
export const workEvents = [
  'proposed',
  'accepted',
  'declined',
  'visited',
  'finished',
  'kept',
  'missed',
  'without_report',
] as const;
export type WorkEvent = (typeof workEvents)[number];

/** `lapsed`: nobody decided it, and nobody can any more. */
export const quoteStates = ['pending', 'validated', 'declined', 'lapsed'] as const;

/** What the entries of each figure are split by first, besides the currency. */
export const parts: Record<keyof typeof figures, readonly string[]> = {
  open: openStatuses,
  quotes: quoteStates,
  planned: ['visit', 'intervention'],
  ordered: [],
  agreed: [],
  invoiced: [],
  billed: ['received', ...toldByPeople],
  uninvoiced: ['done', 'received'],
  work: workEvents,
  deadlines: ['in_time', 'late'],
};

type Draft = Omit<Entry, 'company' | 'groups'>;
/** Adds an entry for the client, and for the company of that contractor of its directory. */
type Count = (contractorId: string | null, draft: Draft) => Entry[];

/** What a ticket adds to the figures of its client and of its contractors. */
export function ticketEntries(counted: CountedTicket): Entry[] {
  const { ticket } = counted;
  if (statusOf(ticket) === 'removed') return [];
  const count = counter(ticket);
  return [
    ...openEntries(ticket),
    ...quoteEntries(ticket, count),
    ...plannedEntries(ticket),
    ...committedEntries(counted, count),
    ...uninvoicedEntries(counted),
    ...workEntries(counted),
    ...deadlineEntries(ticket, count),
  ];
}

/** The groups of an entry: a contractor learns whose ticket it is, never who else works on it. */
function groupsOf(ticket: Ticket) {
  const { location_ids: place, domain_ids: domain, priority, client_id } = ticket;
  const shared = { place, domain, priority: [priority] };
  return {
    client: (contractorId: string | null) => ({ ...shared, contractor: contractorId === null ? [] : [contractorId] }),
    contractor: { ...shared, client: [client_id] },
  };
}

function counter(ticket: Ticket): Count {
  return (contractorId, draft) => {
    const view = ticket.views.find(({ contractor_id }) => contractorId !== null && contractor_id === contractorId);
    return [ofClient(ticket, contractorId, draft), ...(view ? ofContractor(ticket, view, draft) : [])];
  };
}

function ofClient(ticket: Ticket, contractorId: string | null, draft: Draft): Entry {
  const { client_id: company, location_ids: places } = ticket;
  return { company, groups: groupsOf(ticket).client(contractorId), places, ...draft };
}

function ofContractor(ticket: Ticket, { company_id, status }: View, draft: Draft): Entry[] {
  if (company_id === null || status === 'removed') return [];
  return [{ company: company_id, groups: groupsOf(ticket).contractor, ...draft }];
}

function openEntries(ticket: Ticket): Entry[] {
  const draft = { figure: figures.open, day: dayOf(ticket.created_at) } as const;
  const seen = ticket.views.filter((view) => isLive(view) && openStatuses.includes(view.status));
  return seen.flatMap((view) => {
    const own = { ...draft, split: [view.status] };
    if (view.role === 'contractor') return ofContractor(ticket, view, own);
    return [ofClient(ticket, activeView(ticket)?.contractor_id ?? null, own)];
  });
}

function quoteEntries(ticket: Ticket, count: Count): Entry[] {
  const live = ['closed', 'canceled'].includes(statusOf(ticket)) ? [] : liveQuotes(ticket);
  return ticket.quotes.flatMap((quote) => {
    const state = quote.status === 'pending' && !live.includes(quote) ? 'lapsed' : quote.status;
    const amount = amountOf(quote.price, quote.includes_vat);
    const draft = {
      figure: figures.quotes,
      day: dayOf(quote.added_at),
      split: [state],
      ...amount,
    } as const;
    return count(quote.contractor_id, draft);
  });
}

/** An amount as it was given, with VAT or without: nobody knows the other one. */
function amountOf(amount: string | number | null, includesVat: boolean): Pick<Entry, 'ht' | 'ttc'> {
  const cents = toCents(amount ?? 0);
  return includesVat ? { ttc: cents } : { ht: cents };
}

/** Visits and work that are planned, as each of the two sees them. */
function plannedEntries(ticket: Ticket): Entry[] {
  if (!openStatuses.includes(statusOf(ticket))) return [];
  const active = activeView(ticket);
  return [clientView(ticket), ...(active ? [active] : [])].flatMap((view) =>
    visibleDates(ticket, view)
      .filter(({ type, state }) => type === 'planned' && state === 'planned')
      .flatMap(({ start, category }) => {
        const draft = { figure: figures.planned, day: dayOf(start), split: [category], kept: 'daily' } as const;
        if (view === active) return ofContractor(ticket, view, draft);
        return [ofClient(ticket, active?.contractor_id ?? null, draft)];
      }),
  );
}

/** What was ordered, what was agreed on without an order, and what was invoiced. */
function committedEntries(counted: CountedTicket, count: Count): Entry[] {
  const { ticket } = counted;
  const split = [ownCurrency];
  const ordered = ordersOf(counted).flatMap((order) =>
    count(order.supplier_contractor_id, {
      figure: figures.ordered,
      day: order.date.slice(0, 10),
      split,
      ...amountOf(order.amount, order.includes_vat),
    }),
  );
  const agreed = agreedQuotes(counted).flatMap(({ contractor_id, validated_at, added_at, price, includes_vat }) =>
    count(contractor_id, {
      figure: figures.agreed,
      day: dayOf(validated_at ?? added_at),
      split,
      ...amountOf(price, includes_vat),
    }),
  );
  const invoiced = countedLines(counted.lines).flatMap(({ line, ht, ttc }) => {
    const view = ticket.views.find(({ _id }) => _id === line.view_id);
    const contractorId = view?.contractor_id ?? null;
    const invoice = { day: line.counted?.issue_date ?? line.added_at.slice(0, 10), ht, ttc };
    const standing = line.supplier_status?.status ?? 'received';
    return [
      ...count(contractorId, { figure: figures.invoiced, split: [currencyOf(line)], ...invoice }),
      ...count(contractorId, { figure: figures.billed, split: [standing, currencyOf(line)], ...invoice }),
    ];
  });
  return [...ordered, ...agreed, ...invoiced];
}

function ordersOf({ ticket, purchases }: CountedTicket): Purchase[] {
  return purchases.filter(
    ({ kind, buyer_company_id }) => kind === 'purchase_order' && buyer_company_id === ticket.client_id,
  );
}

/** Validated quotes that no order is about: none that names it, nor one of its contractor that names no quote. */
function agreedQuotes(counted: CountedTicket) {
  const orders = ordersOf(counted);
  return counted.ticket.quotes.filter(
    ({ _id, status, contractor_id }) =>
      status === 'validated' &&
      !orders.some(({ quote_id, supplier_contractor_id: supplier }) =>
        quote_id === null ? supplier === null || supplier === contractor_id : quote_id === _id,
      ),
  );
}

function currencyOf({ counted }: LineOnTicket): string {
  return counted?.currency ?? ownCurrency;
}

/** The lines with the cents that they count: a credit note less, whichever sign it has, and nothing what a corrective invoice replaces. */
function countedLines(lines: readonly LineOnTicket[]): { line: LineOnTicket; ht: number; ttc: number }[] {
  const replaced = new Set(
    lines.flatMap(({ supplier: { siren }, counted }) => counted?.replaces.map((key) => `${siren} ${key}`) ?? []),
  );
  return lines
    .filter(({ supplier: { siren }, counted }) => !counted || !replaced.has(`${siren} ${counted.key}`))
    .map((line) => {
      const [ht, ttc] = [toCents(line.amounts.ht), toCents(line.amounts.ttc)];
      if (line.counted?.kind !== 'credit_note') return { line, ht, ttc };
      return { line, ht: -Math.abs(ht), ttc: -Math.abs(ttc) };
    });
}

/** Of the lines on a ticket. */
export function invoicedInEuros(lines: readonly LineOnTicket[]): { ht: number; ttc: number }[] {
  return countedLines(lines).filter(({ line }) => currencyOf(line) === ownCurrency);
}

/**
 * Work that is done, or received, and not invoiced in full: with what is left of what was ordered or agreed on. Its contractor learns
 * of its own orders, quotes and invoices alone, and nothing of receipts, which it does not see.
 */
function uninvoicedEntries(counted: CountedTicket): Entry[] {
  const { ticket, history, purchases } = counted;
  if (statusOf(ticket) === 'canceled') return [];
  const active = activeView(ticket);
  const draftsOf = (state: 'done' | 'received', day: string, of: CountedTicket): Draft[] => {
    const left = leftToInvoice(of);
    return left ? [{ figure: figures.uninvoiced, day, split: [state], ...left }] : [];
  };
  const toClient = (draft: Draft) => ofClient(ticket, active?.contractor_id ?? null, draft);
  if (['finished', 'closed'].includes(statusOf(ticket))) {
    const { finished } = timelineOf(clientView(ticket), ticket, history);
    const done = dayOf(finished ?? ticket.closed_at ?? ticket.created_at);
    const ofClients = draftsOf('done', done, counted).map(toClient);
    if (!active) return ofClients;
    const own = draftsOf('done', done, partOf(counted, active));
    return [...ofClients, ...own.flatMap((draft) => ofContractor(ticket, active, draft))];
  }
  const receipts = purchases.filter(({ kind }) => kind === 'goods_receipt').map(({ date }) => date.slice(0, 10));
  const [received] = receipts.sort();
  return received === undefined ? [] : draftsOf('received', received, counted).map(toClient);
}

/** What of the ticket is about one contractor. */
function partOf(counted: CountedTicket, { _id, contractor_id }: View): CountedTicket {
  const { ticket, purchases, lines } = counted;
  return {
    ...counted,
    ticket: { ...ticket, quotes: ticket.quotes.filter((quote) => quote.contractor_id === contractor_id) },
    purchases: purchases.filter(({ supplier_contractor_id }) => supplier_contractor_id === contractor_id),
    lines: lines.filter(({ view_id }) => view_id === _id),
  };
}

/** Null if it is invoiced in full. */
function leftToInvoice(counted: CountedTicket): Pick<Entry, 'ht' | 'ttc'> | null {
  const due = [
    ...ordersOf(counted).map(({ amount, includes_vat }) => amountOf(amount, includes_vat)),
    ...agreedQuotes(counted).map(({ price, includes_vat }) => amountOf(price, includes_vat)),
  ];
  const invoiced = invoicedInEuros(counted.lines);
  const sum = (of: readonly Pick<Entry, 'ht' | 'ttc'>[], tax: 'ht' | 'ttc') =>
    of.reduce((total, one) => total + (one[tax] ?? 0), 0);
  const ht = Math.max(0, sum(due, 'ht') - sum(invoiced, 'ht'));
  // Of a ticket with amounts of both kinds an invoice ends those with VAT: it says not which of them it is about.
  const isMixed = sum(due, 'ht') > 0;
  const ttc = isMixed && counted.lines.length > 0 ? 0 : Math.max(0, sum(due, 'ttc') - sum(invoiced, 'ttc'));
  return ht + ttc === 0 && counted.lines.length > 0 ? null : { ht, ttc };
}

/** How contractors work, for their clients and for themselves. */
function workEntries({ ticket, history }: CountedTicket): Entry[] {
  const active = activeView(ticket);
  return ticket.views.flatMap((view) => {
    const { contractor_id, company_id } = view;
    if (contractor_id === null) return [];
    const event = (name: WorkEvent, at: Date, since?: Date | null): Entry[] => {
      const minutes = since ? { minutes: minutesBetween(since, at) } : {};
      const draft = { figure: figures.work, day: dayOf(at), split: [name], kept: 'monthly', ...minutes } as const;
      const own = company_id === null || view.status === 'removed' ? [] : [company_id];
      return [
        { ...draft, company: ticket.client_id, groups: { contractor: [contractor_id] }, places: ticket.location_ids },
        ...own.map((company) => ({ ...draft, company, groups: { client: [ticket.client_id] } })),
      ];
    };
    const timeline = timelineOf(view, ticket, history);
    return [
      ...timeline.proposed.flatMap((at) => event('proposed', at)),
      ...timeline.accepted.flatMap(({ since, at }) => event('accepted', at, since)),
      ...timeline.declined.flatMap((at) => event('declined', at)),
      ...dateEvents(ticket, view, timeline, event),
      ...(view === active && timeline.finished ? event('finished', timeline.finished, timeline.started) : []),
      ...(view === active && timeline.finished && !hasReport(ticket, view)
        ? event('without_report', timeline.finished)
        : []),
    ];
  });
}

/** What became of the deadlines of a ticket, for the contractor that has it. */
function deadlineEntries({ clock, ...ticket }: Ticket, count: Count): Entry[] {
  return clockNames.flatMap((name) => {
    const result = clock?.results[name];
    if (!result?.reached_at) return [];
    const split = [result.state === 'missed' ? 'late' : 'in_time', name];
    const draft = { figure: figures.deadlines, day: dayOf(result.reached_at), split };
    return count(activeView(ticket)?.contractor_id ?? null, draft);
  });
}

type CountEvent = (name: WorkEvent, at: Date, since?: Date | null) => Entry[];

/** Planned dates that were kept or missed, and the first visit, of the contractor that entered them or else of the ticket's. */
function dateEvents(ticket: Ticket, view: View, { started }: Timeline, event: CountEvent): Entry[] {
  const active = activeView(ticket);
  const own = ticket.dates.filter(({ company_id }) => {
    const entered = ticket.views.find((one) => one.role === 'contractor' && one.company_id === company_id);
    return (entered ?? active) === view;
  });
  const planned = own.filter(({ type }) => type === 'planned');
  const visits = own
    .filter(({ type, category }) => type === 'actual' && category === 'visit')
    .map(({ start }) => start);
  const [first] = visits.sort((one, other) => one.getTime() - other.getTime());
  return [
    ...planned.filter(({ state }) => state === 'done').flatMap(({ start }) => event('kept', start)),
    ...planned.filter(({ state }) => state === 'not_done').flatMap(({ start }) => event('missed', start)),
    ...(first && started ? event('visited', first, started) : []),
  ];
}

function hasReport({ reports }: Ticket, { contractor_id }: View): boolean {
  return reports.some((report) => report.contractor_id === contractor_id);
}
