import { type Db, MongoClient } from 'mongodb';
import { type Actors, clientApi, createActors } from '../calls/actors.ts';
import { ok, until } from '../calls/calls.ts';
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

type Year = { options: YearOptions; signal: AbortSignal; actors: Actors; provider: ProviderAdmin; databases: Db[] };

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
      signal,
      actors: await createActors(options),
      provider: providerAdmin(options.providerSandbox),
      databases,
    };
    const ids = await playTickets(year, tickets);
    options.say(`The tickets are there, after ${secondsSince(startedAt)} s.`);
    await playInvoices(year, invoices, ids);
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
  const { options, actors, provider, signal, databases } = year;
  await connectProviders({ options, provider }, actors);
  options.providerIsReady?.();
  const lives = invoices.map((planned) => async (untilThen: Until) => {
    const arrives = new Date(Date.parse(planned.invoice.issueDate ?? '') + dayMs / 2);
    await untilThen(arrives);
    await provider.put(planned.invoice, { notify: true });
    if (planned.becomes !== 'linked') return;
    await untilThen(new Date(arrives.getTime() + 3 * dayMs));
    await linkByHand(actors, planned, ids);
  });
  const marks: Mark[] = await playInOrder(lives, { atOnce: invoicesAtOnce, signal });
  await settled(year, invoices.length);
  await tellTimes(databases, marks, signal);
}

const resting = ['done', 'ticket_unmatched', 'manual_review', 'error', 'feedback_pending'];

async function settled({ databases, actors: { clientId } }: Year, count: number): Promise<void> {
  const invoices = databases.at(-1)?.collection('invoices');
  const query = { client_id: clientId, external_id: /^year-/, state: { $in: resting } };
  await until(
    'the invoices of the year had found their places',
    async () => (await invoices?.countDocuments(query)) ?? count,
    (found) => found >= count,
  );
}

/** What the accountant knows and the invoice does not say. One that was matched by its amount stays so. */
async function linkByHand(actors: Actors, { invoice, ticket }: YearInvoice, ids: Map<string, string>): Promise<void> {
  const { accountant } = actors;
  const search = { params: { query: { q: invoice.number, provider: 'sandbox', limit: 10 } } } as const;
  const found = await until(
    `${invoice.number} had been matched`,
    async () =>
      (await ok(() => accountant.GET('/invoices/search', search))).items.find((one) => one.externalId === invoice.id),
    (one) => one !== undefined && resting.includes(one.state),
  );
  if (found?.state !== 'ticket_unmatched') return;
  const params = { path: { ticket_id: ids.get(ticket.plan.reference) ?? '' } };
  const manager = actors.managers[ticket.plan.manager] as Actors['managers'][number];
  const { views } = await ok(() => manager.GET('/api/v3.0/tickets/{ticket_id}', { params }));
  const view = views.find(({ role }) => role === 'contractor') ?? views[0];
  const body = { ticketId: params.path.ticket_id, viewId: view?._id ?? '' };
  await ok(() => accountant.POST('/invoices/{id}/link', { params: { path: { id: found.id } }, body }));
}
