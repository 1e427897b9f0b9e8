import type { SecondSchemas } from '@app/api-client';
import type { Actors } from '../calls/actors.ts';
import { eachOf, ok, until } from '../calls/calls.ts';
import type { ProviderAdmin } from '../external/provider-admin.ts';
import type { Outcome, PlannedInvoice } from '../plan/plan-invoices.ts';

type Found = SecondSchemas['FoundInvoice'];
export type Placing = {
  actors: Actors;
  provider: ProviderAdmin;
  /** The id of each ticket of the week, by its reference. */
  ticketIds: Map<string, string>;
  cancelTicket: (id: string) => Promise<void>;
  /** The provider holds what the platform knows already. */
  providerIsReady: () => void;
};

const atOnce = 4;
const waiting: Partial<Record<Outcome, Found['state']>> = { queue: 'ticket_unmatched', unreadable: 'error' };
const placed = ['feedback_pending', 'feedback_sent', 'done', 'error'];

/**
 * The provider delivers the invoices, and the accountant does a week's work on them. May be
 * repeated: what is there already stays.
 */
export async function placeInvoices(placing: Placing, planned: readonly PlannedInvoice[]): Promise<void> {
  const { provider } = placing;
  const of = (...outcomes: Outcome[]) => planned.filter(({ outcome }) => outcomes.includes(outcome));
  const known = new Set((await readAll(placing.actors)).map(({ externalId }) => externalId));
  await restoreInvoices(
    provider,
    planned.filter(({ invoice }) => known.has(invoice.id)),
  );
  placing.providerIsReady();
  // First what the accountant links: each link confirms the supplier's IBAN, which others are compared with.
  await deliver(placing, of('linked'));
  await eachOf(of('linked'), atOnce, (one) => linkByHand(placing, one));
  for (const { invoice } of of('unheard')) await provider.refuseFeedback(invoice.id, 'down');
  for (const { invoice } of of('refused')) await provider.refuseFeedback(invoice.id, 'once');
  const early = planned.filter(({ outcome, after }) => outcome !== 'linked' && !after);
  await deliver(placing, early);
  await waitUntilPlaced(placing, early);
  await changeAfterLink(placing, of('changed_after_link', 'ticket_gone'));
  const late = planned.filter(({ after }) => after);
  await deliver(placing, late);
  await waitUntilPlaced(placing, planned);
}

/**
 * Fills a provider that was started anew with the last form of these invoices. It does not notify
 * the platform, which has them.
 */
export async function restoreInvoices(provider: ProviderAdmin, planned: readonly PlannedInvoice[]): Promise<void> {
  await eachOf(planned, atOnce, ({ invoice }) => provider.put(invoice, { notify: false }));
}

async function deliver({ provider, actors }: Placing, some: readonly PlannedInvoice[]): Promise<void> {
  const known = new Set((await readAll(actors)).map(({ externalId }) => externalId));
  await eachOf(some, atOnce, async ({ invoice, before }) => {
    if (!known.has(invoice.id)) await provider.put(before ?? invoice, { notify: true });
  });
}

/** Waits until each of them is in a state that its outcome allows. */
async function waitUntilPlaced({ actors }: Placing, some: readonly PlannedInvoice[]): Promise<void> {
  await until(
    'the invoices had found their places',
    () => readAll(actors),
    (found) => {
      const states = new Map(found.map((one) => [one.externalId, one]));
      return some.every(({ invoice, outcome }) => isPlaced(states.get(invoice.id), outcome));
    },
  );
}

function isPlaced(found: Found | undefined, outcome: Outcome): boolean {
  if (!found) return false;
  if (outcome === 'linked' || outcome === 'matched') return found.state === 'done';
  if (outcome === 'refused' || outcome === 'unheard') return placed.includes(found.state);
  // They are matched first, and come to review by what happens then.
  const isOnTheWay = ['changed_after_link', 'ticket_gone'].includes(outcome) && found.state === 'done';
  return isOnTheWay || found.state === (waiting[outcome] ?? 'manual_review');
}

async function linkByHand({ actors, ticketIds }: Placing, { invoice, ticket }: PlannedInvoice): Promise<void> {
  const { accountant } = actors;
  const ticketId = ticketIds.get(ticket?.reference ?? '') ?? '';
  const found = await until(
    `${invoice.number} had arrived`,
    async () => (await readAll(actors)).find(({ externalId }) => externalId === invoice.id),
    (one) => one !== undefined,
  );
  if (found?.state !== 'ticket_unmatched') return;
  const params = { path: { ticket_id: ticketId } };
  const manager = actors.managers[ticket?.manager ?? 0] as Actors['managers'][number];
  const { views } = await ok(() => manager.GET('/api/v3.0/tickets/{ticket_id}', { params }));
  const view = views.find(({ role }) => role === 'contractor') ?? views[0];
  const link = { params: { path: { id: found.id } }, body: { ticketId, viewId: view?._id ?? '' } };
  await ok(() => accountant.POST('/invoices/{id}/link', link));
}

/** The provider corrects one that is placed, and the ticket of another is canceled. */
async function changeAfterLink(placing: Placing, some: readonly PlannedInvoice[]): Promise<void> {
  const { actors, provider, ticketIds, cancelTicket } = placing;
  for (const { invoice, before, ticket } of some) {
    const found = (await readAll(actors)).find(({ externalId }) => externalId === invoice.id);
    if (found?.state !== 'done') continue;
    if (before) await provider.put(invoice, { notify: true });
    else await cancelTicket(ticketIds.get(ticket?.reference ?? '') ?? '');
  }
  await until(
    'the changed invoices were in review',
    () => readAll(actors),
    (all) => some.every(({ invoice }) => all.find(({ externalId }) => externalId === invoice.id)?.state !== 'done'),
  );
}

/** All invoices of the week: a page holds more than there are. */
async function readAll({ accountant }: Actors): Promise<Found[]> {
  const query = { provider: 'sandbox', order: 'asc', limit: 200 } as const;
  return (await ok(() => accountant.GET('/invoices/search', { params: { query } }))).items;
}
