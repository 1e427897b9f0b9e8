import type { TsSchemas } from '@app/api-client';
import type { Actors } from '../calls/actors.ts';
import { CallFailed, eachOf, ok, until } from '../calls/calls.ts';
import type { ProviderAdmin } from '../external/provider-admin.ts';
import type { Outcome, PlannedInvoice } from '../plan/plan-invoices.ts';
import { isPlaced } from './invoice-placement.ts';

type Found = TsSchemas['FoundInvoice'];
type Placing = {
  actors: Actors;
  provider: ProviderAdmin;
  /** The id of each ticket of the week, by its reference. */
  ticketIds: Map<string, string>;
  cancelTicket: (id: string) => Promise<void>;
  /** The provider holds what the platform knows already. */
  providerIsReady: () => void;
};

const atOnce = 4;
/** The invoices that an earlier start delivered, by their external ids. */
type Known = ReadonlySet<string>;

/**
 * The provider delivers the invoices, and the accountant does a week's work on them. May be repeated: what is there already
 * stays, wherever people have moved it.
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
  await waitUntilPlaced(placing, early, known);
  await changeAfterLink(placing, of('changed_after_link', 'ticket_gone'), known);
  const late = planned.filter(({ after }) => after);
  await deliver(placing, late);
  await waitUntilPlaced(placing, planned, known);
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
async function waitUntilPlaced({ actors }: Placing, some: readonly PlannedInvoice[], known: Known): Promise<void> {
  await until(
    'the invoices had found their places',
    () => readAll(actors),
    (found) => {
      const states = new Map(found.map((one) => [one.externalId, one.state]));
      return some.every(({ invoice: { id }, outcome }) => isPlaced(states.get(id), outcome, known.has(id)));
    },
  );
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

/**
 * The provider corrects one that is placed, and the ticket of another is canceled. One that was there before may have been
 * changed already, and be placed again by a person: it is not waited for.
 */
async function changeAfterLink(placing: Placing, some: readonly PlannedInvoice[], known: Known): Promise<void> {
  const { actors, provider, ticketIds, cancelTicket } = placing;
  for (const { invoice, before, ticket } of some) {
    const found = (await readAll(actors)).find(({ externalId }) => externalId === invoice.id);
    if (found?.state !== 'done') continue;
    if (before) await provider.put(invoice, { notify: true });
    else await cancelTicket(ticketIds.get(ticket?.reference ?? '') ?? '').catch(unlessKnown(known.has(invoice.id)));
  }
  const changed = some.filter(({ invoice }) => !known.has(invoice.id));
  await until(
    'the changed invoices were in review',
    () => readAll(actors),
    (all) => changed.every(({ invoice }) => all.find(({ externalId }) => externalId === invoice.id)?.state !== 'done'),
  );
}

/** A ticket that was canceled before refuses it. */
function unlessKnown(isKnown: boolean): (error: unknown) => void {
  return (error) => {
    if (!(isKnown && error instanceof CallFailed && error.status === 409)) throw error;
  };
}

/** All invoices of the week: they are the newest, and a page holds more than there are. */
async function readAll({ accountant }: Actors): Promise<Found[]> {
  const query = { provider: 'sandbox', order: 'desc', limit: 200 } as const;
  return (await ok(() => accountant.GET('/invoices/search', { params: { query } }))).items;
}
