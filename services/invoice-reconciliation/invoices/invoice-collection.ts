import { indexFields } from '@app/kernel';
import { addOutbox, type WithOutbox } from '@app/messaging';
import { collectionOf, documentSchema, modelOf } from '@app/runtime';
import { type Countable, uncountedIndex } from '@app/service/statistics';
import type { Connection, Model, mongo } from 'mongoose';
import { type Invoice, statesOfPeople } from './invoice.ts';
import { invoiceList } from './invoice-list.ts';

/**
 * An invoice as it is stored. `claimed_by` identifies the batch that claimed it last; `linked_amounts` holds
 * its kind and amounts for the index `linked` (`encodeAmounts`), `words` its search words, `supplier_order` what lists
 * sort by the supplier's name with (`invoice-words.ts`).
 */
export type InvoiceRecord = Invoice &
  WithOutbox &
  Countable & {
    claimed_by?: string;
    linked_amounts?: string | null;
    words?: string[];
    supplier_order?: string | null;
  };
export type InvoiceKey = Pick<Invoice, 'client_id' | 'provider' | 'external_id'>;

/**
 * Takes the place of an invoice that the provider deleted before it arrived here: content with a lower `sequence` is
 * outdated. It is stored among the invoices, under their unique key, so that a fetch and a deletion in a race conflict, and
 * a new invoice needs no additional query.
 */
export type Tombstone = InvoiceKey & { _id: string; gone_at: Date; sequence: number; forget_at: Date };

/** Lower than all dates: `$gt: epoch` selects dates, not null, in partial indexes and the queries that use them. */
export const epoch = new Date(0);

/** The invoice queue, whose invoices are matched again. */
const queue = { state: 'ticket_unmatched' };

/** Declares the collection and its indexes; by the driver, see `invoiceCollection`. */
const schema = documentSchema<InvoiceRecord>('invoices');
addOutbox(schema);

function index(name: string, fields: Record<string, 1 | -1>, onlyIf?: object, options: object = {}): void {
  const partial = onlyIf === undefined ? {} : { partialFilterExpression: onlyIf };
  schema.index(fields, { name, ...partial, ...options });
}

index('key', { client_id: 1, provider: 1, external_id: 1 }, undefined, { unique: true });
// What only one invoice of a client may hold, even if several are saved at once.
index('claims', { client_id: 1, claims: 1 }, { claims: { $gt: '' } }, { unique: true });
index('lookupKeys', { client_id: 1, 'keys.lookupKeys': 1 });
// Contains the amounts, so that those of two hundred candidate tickets are read from the index alone.
index('linked', { client_id: 1, ticket_id: 1, linked_amounts: 1, _id: 1 }, { ticket_id: { $gt: '' } });
// One text for the set of an invoice, so that the distinct ones are read from the index alone.
index('accounts', { client_id: 1, supplier_id: 1, confirmed_accounts: 1 }, { confirmed_accounts: { $gt: '' } });
// Which suppliers ask to be paid to an account.
index(
  'payees',
  { client_id: 1, 'canonical.supplier.accounts': 1, 'keys.siren': 1 },
  { 'canonical.supplier.accounts': { $gt: '' } },
);
index('vat', { client_id: 1, confirmed_vat: 1, supplier_id: 1 }, { confirmed_vat: { $gt: '' } });
for (const [name, field] of Object.entries({
  references: 'keys.references',
  amounts: 'keys.amounts',
  suggested: 'suggestions.ticketId',
  siren: 'keys.siren',
  suppliers: 'supplier_ids',
})) {
  index(name, { client_id: 1, [field]: 1, rematch_at: 1, created_at: -1 }, queue);
}
for (const { name, fields } of indexFields(invoiceList)) index(name, fields);
index('words', { client_id: 1, words: 1, created_at: -1 });
// For the metrics: how many wait in a state, and since when.
index('waiting', { state: 1, created_at: 1 }, { state: { $in: [...statesOfPeople] } });
index('due', { due_at: 1 }, { due_at: { $gt: epoch } });
schema.index(uncountedIndex.fields, uncountedIndex.options);
index('rematch', { rematch_at: 1 }, { rematch_at: { $gt: epoch } });
index('forgotten', { forget_at: 1 }, { forget_at: { $gt: epoch } }, { expireAfterSeconds: 0 });

/** Leaves out what is no part of an invoice. */
export const invoiceOnly = {
  outbox: 0,
  claimed_by: 0,
  linked_amounts: 0,
  words: 0,
  supplier_order: 0,
  uncounted: 0,
} as const;

/** The model, registered so that its indexes are created; the outbox is written with it. */
export function invoiceModel(connection: Connection): Model<InvoiceRecord> {
  return modelOf(connection, 'Invoice', schema);
}

/** By the driver: matching reads hundreds of invoices for each one, and the rules return them whole. */
export function invoiceCollection(connection: Connection): mongo.Collection<InvoiceRecord> {
  return collectionOf(invoiceModel(connection));
}

/** The same collection, for tombstones. */
export function tombstoneCollection(connection: Connection): mongo.Collection<Tombstone> {
  return invoiceModel(connection).collection as unknown as mongo.Collection<Tombstone>;
}
