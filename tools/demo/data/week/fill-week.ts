import type { TsSchemas } from '@app/api-client';
import { type Actors, type Addresses, clientApi, createActors } from '../calls/actors.ts';
import { eachOf, ok } from '../calls/calls.ts';
import { platformAccount, providerAccount } from '../external/external-systems.ts';
import { type ProviderAdmin, providerAdmin } from '../external/provider-admin.ts';
import { type PlannedInvoice, planInvoices, waits } from '../plan/plan-invoices.ts';
import { type PlannedTicket, planTickets, type Size } from '../plan/week-plan.ts';
import { type ExistingTicket, findExistingTickets } from './existing-tickets.ts';
import { placeInvoices, restoreInvoices } from './place-invoices.ts';
import { TicketLife } from './ticket-life.ts';
import { bringToStatus } from './ticket-steps.ts';

type Events = TsSchemas['Endpoint']['events'];

const endpoints: { name: string; path: string; events: Events }[] = [
  {
    name: 'ERP',
    path: '/erp',
    events: ['ticket.status_changed', 'ticket.quote_added', 'ticket.purchase_added', 'ticket.invoice_added'],
  },
  // It fails. Its events are rare, so that there are few failures to read.
  { name: 'CMMS', path: '/cmms', events: ['ticket.report_added', 'ticket.invoice_added'] },
];

/** By when the client's contractors answer, come and finish. */
async function setDeadlines({ operator }: Actors): Promise<void> {
  const all = { location_id: null, domain_id: null, warn_percent: 75 };
  const days = (amount: number) => ({ amount, unit: 'days' as const });
  const policies = [
    { ...all, priority: 'high' as const, response: days(1), arrival: days(3), finish: days(5) },
    { ...all, priority: 'medium' as const, response: days(2), arrival: null, finish: days(15) },
  ];
  const openings = [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' }));
  const hours = [{ location_id: null, time_zone: 'Europe/Paris', openings, holidays: 'FR' as const, closed: [] }];
  await ok(() => operator.PUT('/clock-settings', { body: { policies, hours } }));
}

/**
 * The client's two subscriptions. Those of an earlier start stay as they are. One of the same name
 * with another address is a user's own, and does not count.
 */
async function addEndpoints({ operator }: Actors, receivers: string): Promise<void> {
  const { items } = await ok(() => operator.GET('/webhooks/endpoints'));
  for (const { name, path, events } of endpoints) {
    if (items.some((one) => one.name === name && one.url.endsWith(path))) continue;
    const header = { 'Idempotency-Key': `demo-week/endpoint/${name}` };
    const body = { name, url: receivers + path, events };
    await ok(() => operator.POST('/webhooks/endpoints', { params: { header }, body }));
  }
}

export type WeekOptions = Addresses & {
  /** The sandbox AP provider, and the server of the receivers (`startExternalSystems`). */
  providerSandbox: string;
  hasApprovedPlatform?: boolean;
  receivers: { url: string };
  /** Called once the provider holds what an earlier start put there, or before the first invoice. */
  providerIsReady?: () => void;
  /** Called with what was done, and with what failed. */
  say: (text: string) => void;
  /** Ends it between two calls. */
  signal?: AbortSignal;
  /** Default: full. */
  size?: Size;
};

type Week = {
  options: WeekOptions;
  tickets: PlannedTicket[];
  invoices: PlannedInvoice[];
  known: Map<string, ExistingTicket>;
  provider: ProviderAdmin;
  today: Date;
  signal: AbortSignal;
};

const ticketsAtOnce = 6;
const tenMinutesMs = 600_000;
/** Less than the 24 hours for which the platform knows an idempotency key. */
const keysLastMs = 20 * 3_600_000;

/**
 * Fills the demo companies with a week of work, through the public APIs alone, by the users who do
 * that work. The last ticket is made when all else is there: if it exists, nothing is added; if
 * not, what earlier starts did not complete.
 * @returns whether the week is there
 */
export async function fillWeek(options: WeekOptions): Promise<boolean> {
  const startedAt = Date.now();
  const signal = options.signal ?? new AbortController().signal;
  let step = 'reading what is there';
  try {
    const week = await readWeek(options, signal);
    if (isComplete(week)) {
      step = 'telling the provider what it has';
      await restore(week);
      return true;
    }
    options.say(`Filling the demo companies with a week of work: ${contentOf(week)} …`);
    for (const [name, run] of Object.entries(stepsOf(week))) {
      step = name;
      await run();
    }
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    options.say(
      `The week of work is there, after ${seconds} s: ${contentOf(week)}, and a webhook endpoint that fails.`,
    );
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted)
      options.say(`The week of work is not complete. It failed at ${step}: ${why}. The next start goes on there.`);
    return false;
  }
}

function stepsOf(week: Week): Record<string, () => Promise<void>> {
  const ids = new Map<string, string>();
  let actors: Actors;
  const [last] = week.tickets.slice(-1) as [PlannedTicket];
  return {
    'adding people and places': async () => {
      actors = await createActors(week.options);
    },
    'setting deadlines': () => setDeadlines(actors),
    'subscribing the webhook endpoints': () => addEndpoints(actors, week.options.receivers.url),
    'the tickets': () =>
      eachOf(week.tickets.slice(0, -1), ticketsAtOnce, (ticket) => makeTicket(week, { actors, ids }, ticket)),
    'connecting the provider': () => connectProviders(week, actors),
    'the invoices': () => placeAll(week, { actors, ids }),
    'the last ticket': () => makeTicket(week, { actors, ids }, last),
  };
}

async function readWeek(options: WeekOptions, signal: AbortSignal): Promise<Week> {
  const tickets = planTickets(options.size);
  const client = await clientApi(options);
  const known = await findExistingTickets(client, new Set(tickets.map(({ reference }) => reference)));
  const creations = Array.from(known.values(), ({ createdAt }) => createdAt.getTime());
  const begun = Math.min(Date.now(), ...creations);
  // Begun shortly before midnight, it belongs to the next day: an invoice is not dated before the ticket it is for.
  const today = new Date(begun + tenMinutesMs);
  today.setUTCHours(0, 0, 0, 0);
  const invoices = planInvoices(tickets, today, options.size);
  return { options, tickets, invoices, known, provider: providerAdmin(options.providerSandbox), today, signal };
}

function contentOf({ tickets, invoices }: Week): string {
  const count = invoices.filter(waits).length;
  return `${tickets.length} tickets, ${invoices.length} invoices of which ${count} wait for a person`;
}

function isComplete({ tickets, known }: Week): boolean {
  return known.has(tickets.at(-1)?.reference ?? '');
}

async function restore(week: Week): Promise<void> {
  const [{ clientId }] = [...week.known.values()] as [ExistingTicket];
  await setAccount(week, clientId);
  await restoreInvoices(week.provider, week.invoices);
  week.options.providerIsReady?.();
}

type ActorsAndTicketIds = { actors: Actors; ids: Map<string, string> };

/** A ticket whose idempotency keys may have expired stays as it is: repeating its calls could do things twice. */
async function makeTicket(
  { known, today, signal }: Week,
  { actors, ids }: ActorsAndTicketIds,
  plan: PlannedTicket,
): Promise<void> {
  const before = known.get(plan.reference);
  const isOld = before !== undefined && Date.now() - before.createdAt.getTime() > keysLastMs;
  const ticket = new TicketLife({ actors, today, signal }, plan, before !== undefined);
  if (!isOld) await bringToStatus(ticket);
  ids.set(plan.reference, before?.id ?? ticket.id);
}

/** Makes the connections of the demo company, unless they are there. */
export async function connectProviders(
  week: Pick<Week, 'provider' | 'options'>,
  { accountant, clientId }: Actors,
): Promise<void> {
  await setAccount(week, clientId);
  const connections = await ok(() => accountant.GET('/invoice-connections'));
  const { clientId: oauthClientId, clientSecret: oauthClientSecret } = platformAccount;
  const accounts = [
    { provider: 'sandbox', ...providerAccount },
    ...(week.options.hasApprovedPlatform ? [{ provider: 'afnor', oauthClientId, oauthClientSecret }] : []),
  ];
  for (const body of accounts) {
    const isThere = connections.some(({ provider, active }) => provider === body.provider && active);
    if (!isThere) await ok(() => accountant.POST('/invoice-connections', { body }));
  }
}

function setAccount(
  { provider, options: { tsApi } }: Pick<Week, 'provider' | 'options'>,
  clientId: string,
): Promise<void> {
  return provider.setAccount({ clientId, webhookUrl: `${tsApi}/webhooks/invoice-providers/sandbox` });
}

async function placeAll(
  { tickets, invoices, provider, options }: Week,
  { actors, ids }: ActorsAndTicketIds,
): Promise<void> {
  const cancelTicket = async (ticket_id: string) => {
    const plan = tickets.find(({ reference }) => ids.get(reference) === ticket_id);
    const params = { path: { ticket_id } };
    const body = { reason_cancel: 'Travaux reportés, facture reçue avant l’intervention.' };
    const manager = actors.managers[plan?.manager ?? 0] as Actors['managers'][number];
    await ok(() => manager.PUT('/api/v3.0/tickets/{ticket_id}/cancel', { params, body }));
  };
  const providerIsReady = options.providerIsReady ?? (() => undefined);
  await placeInvoices({ actors, provider, ticketIds: ids, cancelTicket, providerIsReady }, invoices);
}
