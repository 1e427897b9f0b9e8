import { indexFields } from '@app/kernel';
import { addOutbox, type WithOutbox } from '@app/messaging';
import { collectionOf, documentSchema, modelOf } from '@app/runtime';
import { type Countable, uncountedIndex } from '@app/service/statistics';
import type { Connection, Model, mongo } from 'mongoose';
import type { HistoryEntry } from '../history.ts';
import { facetsOf, type ListKeys, searchKeys } from '../lists/list-keys.ts';
import { type SortKeys, sortKeysOf, ticketList } from '../lists/ticket-list.ts';
import { type Buckets, bucketMs, bucketsOf } from '../lists/ticket-list-plan.ts';
import type { Ticket, View } from '../ticket.ts';

type StoredView = View & { facets?: string[] };
export type StoredTicket = Omit<Ticket, 'views'> & { views: StoredView[] } & WithOutbox &
  Partial<Buckets & ListKeys & SortKeys & { history: HistoryEntry[]; told: string[] }> &
  Countable;

/** The ticket as it is stored, with the keys of lists, and to be counted. */
export function storedForm(ticket: Ticket): Ticket & Buckets & ListKeys & SortKeys & Countable {
  const views = ticket.views.map((view): StoredView => ({ ...view, facets: facetsOf(ticket, view) }));
  const derived = { ...bucketsOf(ticket), ...sortKeysOf(ticket), search: searchKeys(ticket) };
  return { ...ticket, views, ...derived, uncounted: companiesOf(ticket) };
}

/** `companiesOf` as a MongoDB expression. */
export const companiesIn = {
  $filter: { input: '$views.company_id', cond: { $ne: ['$$this', null] } },
};

/** The companies that see the ticket, or saw it: it counts in their figures. */
export function companiesOf({ views }: Pick<Ticket, 'views'>): string[] {
  return views.flatMap(({ company_id }) => company_id ?? []);
}

/** A projection without the stored fields that rules and replies do not need. */
export const withoutKeys = {
  outbox: 0,
  search: 0,
  agenda: 0,
  'views.facets': 0,
  history: 0,
  told: 0,
  uncounted: 0,
} as const;

/**
 * Partial indexes distinguish dates from null by `$gt: epoch`. A `$type` condition would do as
 * well, but MongoDB could not see that a range of dates implies it, and a query that names the
 * index would scan all of it.
 */
export const epoch = new Date(0);

/** Declares the collection and its indexes. By the driver: a hot path, whose rules return tickets whole; their shape is `StoredTicket`. */
const ticketSchema = documentSchema<StoredTicket>('tickets');
addOutbox(ticketSchema);
ticketSchema.index({ 'views.company_id': 1, _id: 1 }, { name: 'view' });
ticketSchema.index({ 'views.company_id': 1, 'views.status': 1, typology_id: 1, _id: 1 }, { name: 'status' });
ticketSchema.index({ 'views.company_id': 1, typology_id: 1, _id: 1 }, { name: 'typology' });
ticketSchema.index({ 'views.company_id': 1, client_id: 1, _id: 1 }, { name: 'client' });
for (const { name, fields } of indexFields(ticketList)) ticketSchema.index(fields, { name });
ticketSchema.index(
  { 'views.company_id': 1, assigned_at: 1 },
  { name: 'assigned', partialFilterExpression: { assigned_at: { $gt: epoch } } },
);
// The last field lets MongoDB skip what is too early in the first bucket without reading the ticket.
ticketSchema.index({ 'views.company_id': 1, updated_bucket: 1, _id: 1, updated_at: 1 }, { name: 'updated_in_order' });
ticketSchema.index(
  { 'views.company_id': 1, assigned_bucket: 1, _id: 1, assigned_at: 1 },
  { name: 'assigned_in_order', partialFilterExpression: { assigned_at: { $gt: epoch } } },
);
ticketSchema.index({ 'views.company_id': 1, number: 1, _id: -1 }, { name: 'number' });
ticketSchema.index({ search: 1, _id: 1 }, { name: 'search' });
ticketSchema.index({ agenda: 1, _id: 1 }, { name: 'agenda' });
// Places are a client's own, so this needs no company.
ticketSchema.index({ location_ids: 1, _id: 1 }, { name: 'place' });
ticketSchema.index(
  { 'views.company_id': 1, 'views.facets': 1, 'views.status': 1, typology_id: 1, _id: 1 },
  { name: 'facet' },
);
// Two lists cannot be in one index, so the client stands for the companies that see the ticket.
ticketSchema.index({ client_id: 1, quote_amounts: 1, _id: 1 }, { name: 'quotes' });
ticketSchema.index({ due_at: 1 }, { name: 'due_at', partialFilterExpression: { due_at: { $gt: epoch } } });
ticketSchema.index({ warn_at: 1 }, { name: 'warn_at', partialFilterExpression: { warn_at: { $gt: epoch } } });
ticketSchema.index({ 'views.contractor_id': 1, 'views.company_id': 1 }, { name: 'contractor', sparse: true });
ticketSchema.index(uncountedIndex.fields, uncountedIndex.options);

/** The model of tickets, which several stores share; the first caller declares it. */
export function ticketModel(connection: Connection): Model<StoredTicket> {
  return modelOf(connection, 'Ticket', ticketSchema);
}

export function ticketCollection(connection: Connection): mongo.Collection<StoredTicket> {
  return collectionOf(ticketModel(connection));
}

/** `bucketOf` as a MongoDB expression on a field. */
export function bucketIn(field: string): object {
  return { $floor: { $divide: [{ $toLong: field }, bucketMs] } };
}
