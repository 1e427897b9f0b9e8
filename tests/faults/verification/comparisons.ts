import type { Entry, Kind, Ledger } from '../load/ledger.ts';
import type { Endpoint } from '../load/receivers.ts';
import type { Side, StoredInvoice, StoredTicket } from './api-reads.ts';

/** What is wrong, one sentence each, by its kind. */
export type Findings = {
  lost: string[];
  twice: string[];
  unexpected: string[];
  eventsLost: string[];
  leftOver: string[];
};

export function noFindings(): Findings {
  return { lost: [], twice: [], unexpected: [], eventsLost: [], leftOver: [] };
}

export function hasNoFindings(findings: Findings): boolean {
  return Object.values(findings).every((some) => some.length === 0);
}

/** The statuses of a ticket under this load, in their order. */
const statuses = ['opened', 'assigned', 'validation', 'validated', 'intervention', 'finished', 'closed'];

export type Compared = {
  account: string;
  tickets: StoredTicket[];
  /** What was made in the company besides tickets. */
  names: string[];
  ledger: Ledger;
  findings: Findings;
};

/** What an accountant does is on the invoice, which `compareInvoices` looks at. */
const onInvoices: ReadonlySet<Kind> = new Set(['invoice', 'link', 'review']);

/** Each acknowledged write is stored once, each unknown one at most once, and nothing that nobody wrote. */
export function compareWrites({ account, tickets, names, ledger, findings }: Compared): void {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const on = (entry: Entry) => byId.get(entry.ticket ?? '');
  const counts = new Map<string, number>();
  for (const key of [...tickets.flatMap(keysOf), ...names]) counts.set(key, (counts.get(key) ?? 0) + 1);
  const known = new Set<string>();
  for (const entry of ledger.entries.filter((one) => one.account === account)) {
    if (onInvoices.has(entry.kind)) continue;
    known.add(entry.key);
    const count =
      entry.kind === 'move' ? Number(hasReached(on(entry), entry.detail ?? '')) : (counts.get(entry.key) ?? 0);
    const what = `${account}: ${entry.kind} '${entry.key}' on ${entry.ticket ?? 'no ticket'}, ${entry.state} ${entry.at.toISOString()}`;
    if (entry.state === 'acknowledged' && count === 0) findings.lost.push(what);
    if (entry.state === 'ended' && count > 0) findings.unexpected.push(`${what}, is there again`);
    if (count > 1) findings.twice.push(`${what}, is there ${count} times`);
  }
  for (const key of counts.keys())
    if (!known.has(key)) findings.unexpected.push(`${account}: '${key}' is stored and nobody wrote it`);
}

/** What nothing else has, of everything on a ticket. */
function keysOf({ title, notes, edits, documents, purchases, quotes, dates }: StoredTicket): string[] {
  return [
    title,
    ...notes,
    ...edits,
    ...dates,
    ...documents.map(({ name }) => name),
    ...purchases.map(({ reference }) => reference),
    ...quotes.flatMap(({ reference, isValidated }) => [reference, ...(isValidated ? [`${reference} validated`] : [])]),
  ];
}

function hasReached(ticket: StoredTicket | undefined, status: string): boolean {
  return ticket !== undefined && statuses.indexOf(ticket.status) >= statuses.indexOf(status);
}

/** The events that a ticket must have had, as it is stored now, in the words of `receivers.ts`. */
function eventsOf({ id, moves, notes, documents, purchases, quotes, dates, invoiceIds }: StoredTicket, side: Side) {
  return [
    ...moves[side].map((move) => `ticket.status_changed ${id} ${move}`),
    ...notes.map((note) => `ticket.message_added ${id} ${note}`),
    ...documents.map(({ _id }) => `ticket.document_added ${id} ${_id}`),
    ...purchases.map(({ _id }) => `ticket.purchase_added ${id} ${_id}`),
    ...quotes.map(({ _id }) => `ticket.quote_added ${id} ${_id}`),
    ...dates.map((date) => `ticket.intervention_date_added ${id} ${date}`),
    ...invoiceIds.map((invoice) => `ticket.invoice_added ${id} ${invoice}`),
  ];
}

/** Each stored thing was delivered once, under one delivery id, and nothing else was. */
export function compareEvents(endpoint: Endpoint, side: Side, { tickets, findings }: Compared): void {
  const expected = tickets.flatMap((ticket) => eventsOf(ticket, side));
  const received = Map.groupBy(endpoint.events, ({ key }) => key);
  const wanted = new Set(expected);
  for (const key of wanted) if (!received.has(key)) findings.eventsLost.push(`${endpoint.name} never received: ${key}`);
  for (const [key, some] of received) {
    if (!wanted.has(key)) findings.unexpected.push(`${endpoint.name} received what is not stored: ${key}`);
    const ids = new Set(some.map(({ delivery }) => delivery));
    if (ids.size > 1) findings.twice.push(`${endpoint.name} received under ${[...ids].join(' and ')}: ${key}`);
  }
  const moves = endpoint.events.filter(({ event }) => event === 'ticket.status_changed');
  for (const [ticket, some] of Map.groupBy(moves, ({ key }) => key.split(' ')[1])) {
    const inOrder = some.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).map(({ key }) => toOf(key));
    const ranks = inOrder.map((to) => statuses.indexOf(to));
    if (ranks.some((rank, index) => index > 0 && rank < (ranks[index - 1] as number)))
      findings.unexpected.push(`${endpoint.name}: the times of ${ticket} say ${inOrder.join(', ')}`);
  }
}

const toOf = (key: string) => key.split('>')[1] as string;

export type InvoicesCompared = Compared & {
  /** What the platform has, on tickets and waiting. */
  found: StoredInvoice[];
  /** The provider's ids of the invoices that were taken in charge, once for each time. */
  takenInCharge: string[];
};

/** Each of the provider's invoices is there once, done, and was taken in charge once. */
export function compareInvoices({ account, ledger, findings, found, takenInCharge }: InvoicesCompared): void {
  const byExternalId = Map.groupBy(found, ({ externalId }) => externalId);
  const feedback = Map.groupBy(takenInCharge, (id) => id);
  const sent = ledger.of(account, 'invoice');
  for (const { key, ticket } of sent) {
    const some = byExternalId.get(key) ?? [];
    const what = `${account}: invoice ${key} for ${ticket}`;
    const [first] = some as [StoredInvoice | undefined];
    if (!first) findings.lost.push(`${what} is nowhere`);
    else if (some.length > 1) findings.twice.push(`${what} is ${some.map(({ id }) => id).join(' and ')}`);
    else if (first.ticket !== ticket) findings.unexpected.push(`${what} is ${first.id}, on ticket ${first.ticket}`);
    else if (first.state !== 'done') findings.leftOver.push(`${what} is ${first.id}, which rests in ${first.state}`);
    const times = feedback.get(key)?.length ?? 0;
    if (times === 0) findings.leftOver.push(`${what} got no feedback`);
    if (times > 1) findings.twice.push(`${what} was taken in charge ${times} times`);
  }
  const known = new Set(sent.map(({ key }) => key));
  for (const id of byExternalId.keys())
    if (!known.has(id)) findings.unexpected.push(`${account}: invoice ${id} is not the provider's`);
}
