import type { Db, Document } from 'mongodb';
import type { RestoredPlatform } from './restored-platform.ts';

/** What one service keeps of a thing, and what its owner has. */
export type Inconsistency = { what: string; id: string; kept: unknown; owned: unknown };

type Facts = { what: string; owned: Map<string, unknown>; kept: Map<string, unknown> };

/**
 * Where what services keep of each other differs from what the owner has, document by document,
 * read from their databases.
 */
export async function findInconsistencies(platform: RestoredPlatform): Promise<Inconsistency[]> {
  const all = await Promise.all([
    ticketsInReconciliation(platform),
    contractorsInReconciliation(platform),
    purchasesOnTickets(platform),
    purchasesInReconciliation(platform),
    linesOnTickets(platform),
  ]);
  return all.flatMap(({ what, owned, kept }) =>
    [...new Set([...owned.keys(), ...kept.keys()])].flatMap((id) => {
      const [one, other] = [owned.get(id), kept.get(id)];
      return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ what, id, owned: one, kept: other }];
    }),
  );
}

const read = (database: Db, collection: string, filter: Document = {}) =>
  database.collection<Document & { _id: string }>(collection).find(filter).sort({ _id: 1 }).toArray();

function byId<T extends { _id: string }>(found: T[], factsOf: (one: T) => unknown): Map<string, unknown> {
  return new Map(found.map((one) => [one._id, factsOf(one)]));
}

/** The projections of tickets in reconciliation, unpacked. */
async function projections(platform: RestoredPlatform) {
  const found = await platform.read('invoice-reconciliation', (database) => read(database, 'ticket_projections'));
  return found.flatMap(({ _id, version, open, json }) =>
    typeof json === 'string' ? [{ _id, version, open, ...JSON.parse(json) }] : [],
  );
}

/** Of those that the ticket service has; the others must count as removed. */
async function ticketsInReconciliation(platform: RestoredPlatform): Promise<Facts> {
  const tickets = await platform.read('ticket', (database) => read(database, 'tickets'));
  const views = (all: Document[], id: string) => all.map((view) => [view[id], view['state']]);
  const kept = (await projections(platform)).filter(({ open, ticket }) => open || ticket.status !== 'removed');
  return {
    what: 'a ticket in matching',
    owned: byId(tickets, (one) => [one['number'], one['title'], views(one['views'], '_id'), one['quotes'].length]),
    kept: byId(kept, ({ ticket }) => [ticket.number, ticket.title, views(ticket.views, 'id'), ticket.quotes.length]),
  };
}

async function contractorsInReconciliation(platform: RestoredPlatform): Promise<Facts> {
  const contractors = await platform.read('ticket', (database) => read(database, 'contractors'));
  const kept = await platform.read('invoice-reconciliation', (database) =>
    read(database, 'contractor_projections', { name: { $ne: null } }),
  );
  return {
    what: 'a contractor in matching',
    owned: byId(contractors, ({ name, version }) => [name, version]),
    kept: byId(kept, ({ snapshot, version }) => [snapshot.name, version]),
  };
}

const live = { deleted: false };
const purchaseFacts = ({ reference, amount, ticket_id }: Document) => [reference, amount, ticket_id];

/** Of tickets that exist: a document of a lost one is reached by nobody. */
async function livePurchases(platform: RestoredPlatform) {
  const tickets = await platform.read('ticket', (database) => read(database, 'tickets'));
  const ids = new Set(tickets.map(({ _id }) => _id));
  const found = await platform.read('purchase', (database) => read(database, 'purchases', live));
  return found.filter(({ ticket_id }) => ids.has(ticket_id));
}

async function purchasesOnTickets(platform: RestoredPlatform): Promise<Facts> {
  const kept = await platform.read('ticket', (database) => read(database, 'purchase_projections', live));
  return {
    what: 'a purchase document on its ticket',
    owned: byId(await livePurchases(platform), (one) => [...purchaseFacts(one), one['version']]),
    kept: byId(kept, (one) => [...purchaseFacts(one), one['version']]),
  };
}

async function purchasesInReconciliation(platform: RestoredPlatform): Promise<Facts> {
  const open = (await projections(platform)).filter(({ ticket }) => ticket.status !== 'removed');
  const kept = open.flatMap(({ _id: ticket_id, purchases }) =>
    purchases.map((one: Document) => ({ ...one, _id: one['id'] as string, ticket_id })),
  );
  return {
    what: 'a purchase document in matching',
    owned: byId(await livePurchases(platform), purchaseFacts),
    kept: byId(kept, purchaseFacts),
  };
}

/** The lines of invoices that are on a ticket; not of those whose ticket or view was lost, which wait for a person. */
async function linesOnTickets(platform: RestoredPlatform): Promise<Facts> {
  const invoices = await platform.read('invoice-reconciliation', (database) =>
    read(database, 'invoices', { ticket_id: { $gt: '' }, reasons: { $ne: 'ticket_gone' } }),
  );
  const lines = await platform.read('ticket', (database) =>
    read(database, 'invoice_lines', { ticket_id: { $gt: '' } }),
  );
  const held = await platform.read('invoice-reconciliation', (database) =>
    read(database, 'invoices', { reasons: 'ticket_gone' }),
  );
  const inReview = new Set(held.map(({ _id }) => _id));
  const factsOf = ({ ticket_id, view_id }: Document) => [ticket_id, view_id];
  return {
    what: 'the line of an invoice on its ticket',
    owned: byId(invoices, factsOf),
    kept: byId(
      lines.filter(({ _id }) => !inReview.has(_id)),
      factsOf,
    ),
  };
}
