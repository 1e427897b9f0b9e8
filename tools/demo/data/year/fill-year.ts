import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { type Actors, clientApi, createActors } from '../calls/actors.ts';
import { ok } from '../calls/calls.ts';
import { type ProviderAdmin, providerAdmin } from '../external/provider-admin.ts';
import { planYear, planYearInvoices, type YearInvoice, type YearTicket } from '../plan/year-plan.ts';
import { findExistingTickets } from '../week/existing-tickets.ts';
import { connectProviders, type WeekOptions } from '../week/fill-week.ts';
import { TicketLife } from '../week/ticket-life.ts';
import { type Mark, playInOrder, type Until } from './play-in-order.ts';
import { tellTimes } from './tell-times.ts';
import { liveYearTicket } from './year-steps.ts';

type YearOptions = WeekOptions & {
  /** Of the services. */
  mongodb: string;
  namespace: string;
};

type Year = {
  options: YearOptions;
  today: Date;
  signal: AbortSignal;
  actors: Actors;
  provider: ProviderAdmin;
  databases: Db[];
};

/** The services that keep what happened. */
const historians = ['ticket', 'purchase', 'invoice-reconciliation'];
const ticketsAtOnce = 8;
const invoicesAtOnce = 6;
const dayMs = 86_400_000;

/**
 * Fills the demo companies with the year before the week of `fillWeek`, if they have no ticket of it yet.
 * @returns whether it is there; a year that was cut off stays as it is
 */
export async function fillYear(options: YearOptions): Promise<boolean> {
  const signal = options.signal ?? new AbortController().signal;
  const startedAt = Date.now();
  const today = new Date(Math.floor(startedAt / dayMs) * dayMs);
  const tickets = planYear(today, options.size);
  const invoices = planYearInvoices(tickets);
  const references = new Set(tickets.map(({ plan }) => plan.reference));
  const client = new MongoClient(options.mongodb);
  try {
    const known = await findExistingTickets(await clientApi(options), references);
    if (known.size > 0) {
      if (known.size < tickets.length)
        options.say('The year of work is not complete: --fresh --demo-year makes it anew.');
      return known.size === tickets.length;
    }
    options.say(`Playing a year of work: ${tickets.length} tickets, ${invoices.length} invoices; some ten minutes …`);
    const databases = historians.map((name) => client.db(`${options.namespace}${name}`));
    const year = {
      options,
      today,
      signal,
      actors: await createActors(options),
      provider: providerAdmin(options.providerSandbox),
      databases,
    };
    const ids = await playTickets(year, tickets);
    options.say(`The tickets are there, after ${secondsSince(startedAt)} s.`);
    await playInvoices(year, invoices, ids);
    // They are all of today, and of work that is long done.
    const told = { created_at: { $gte: new Date(startedAt) } };
    await client.db(`${options.namespace}identity`).collection('notifications').deleteMany(told);
    options.say(`The year of work is there, after ${secondsSince(startedAt)} s.`);
    return true;
  } catch (error) {
    if (!signal.aborted)
      options.say(
        `The year of work failed: ${error instanceof Error ? error.message : error}. Begin anew with --fresh --demo-year.`,
      );
    return false;
  } finally {
    await client.close();
  }
}

function secondsSince(at: number): number {
  return Math.round((Date.now() - at) / 1000);
}

/** @returns the id of each ticket, by its reference */
async function playTickets(year: Year, tickets: readonly YearTicket[]): Promise<Map<string, string>> {
  const { actors, signal, databases } = year;
  const ids = new Map<string, string>();
  const lives = tickets.map(({ plan, at, course, days }) => async (untilThen: Until) => {
    const ticket = new TicketLife({ actors, today: at, signal, until: untilThen }, plan, false);
    await liveYearTicket(ticket, course, days);
    ids.set(plan.reference, ticket.id);
  });
  const marks = await playInOrder(lives, { atOnce: ticketsAtOnce, signal });
  await tellTimes(databases, marks, signal);
  return ids;
}

/** Of tickets that have their times already: an invoice is compared with the dates of its ticket. */
async function playInvoices(year: Year, invoices: readonly YearInvoice[], ids: Map<string, string>): Promise<void> {
  const { options, today, actors, provider, signal, databases } = year;
  await connectProviders({ options, provider }, actors);
  options.providerIsReady?.();
  const lives = invoices.map((planned) => async (untilThen: Until) => {
    const arrives = new Date(Date.parse(planned.invoice.issueDate ?? '') + dayMs / 2);
    await untilThen(arrives);
    await provider.put(planned.invoice, { notify: true });
    // What the platform does with it belongs to this moment of the story.
    const found = await placed(year, planned.invoice.id);
    const later = (days: number) => new Date(arrives.getTime() + days * dayMs);
    if (planned.becomes === 'linked' && found.state === 'ticket_unmatched') {
      await untilThen(later(3));
      await linkByHand(actors, { ...planned, id: found._id }, ids);
      await placed(year, planned.invoice.id);
    }
    if (planned.paidAfter === null || later(planned.paidAfter) > today) return;
    await untilThen(later(planned.paidAfter));
    await provider.put({ ...planned.invoice, status: 'paid' }, { notify: true });
    await placed(year, planned.invoice.id, { provider_status: 'paid' });
  });
  const marks: Mark[] = await playInOrder(lives, { atOnce: invoicesAtOnce, signal });
  await tellTimes(databases, marks, signal);
}

const resting = ['done', 'ticket_unmatched', 'manual_review', 'error'];
const placedWithinMs = 120_000;
const lookEveryMs = 50;

/** The invoice once it rests. By the database: asking the API so often would use up what the accountant may ask. */
async function placed({ databases, actors, signal }: Year, external_id: string, also = {}): Promise<PlacedInvoice> {
  const invoices = databases.at(-1)?.collection<PlacedInvoice>('invoices');
  const query = { client_id: actors.clientId, provider: 'sandbox', external_id, state: { $in: resting }, ...also };
  for (const deadline = Date.now() + placedWithinMs; Date.now() < deadline; ) {
    const found = await invoices?.findOne(query, { projection: { state: 1 } });
    if (found) return found;
    await sleep(lookEveryMs, undefined, { signal });
  }
  throw new Error(`the invoice ${external_id} found no place, or is not paid`);
}

type PlacedInvoice = { _id: string; state: string };

/** What the accountant knows and the invoice does not say. */
async function linkByHand(
  { accountant, managers }: Actors,
  { id, ticket: { plan } }: YearInvoice & { id: string },
  ids: Map<string, string>,
): Promise<void> {
  const params = { path: { ticket_id: ids.get(plan.reference) ?? '' } };
  const manager = managers[plan.manager] as Actors['managers'][number];
  const { views } = await ok(() => manager.GET('/api/v3.0/tickets/{ticket_id}', { params }));
  const view = views.find(({ role }) => role === 'contractor') ?? views[0];
  const body = { ticketId: params.path.ticket_id, viewId: view?._id ?? '' };
  await ok(() => accountant.POST('/invoices/{id}/link', { params: { path: { id } }, body }));
}
