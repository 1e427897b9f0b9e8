import type { StatisticsSource } from '@app/service/statistics';
import type { ClientSession, Connection } from 'mongoose';
import { isNamedBy, precedingKeys, replacingKeys } from '../invoices/duplicates.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';
import { ticketCollections } from '../projections/ticket-collections.ts';
import { invoiceEntries, isInForce } from './invoice-entries.ts';

const projection = {
  client_id: 1,
  state: 1,
  created_at: 1,
  provider_status: 1,
  received_statuses: 1,
  provider_statuses: 1,
  supplier_id: 1,
  ticket_id: 1,
  flags: 1,
  reasons: 1,
  history: 1,
  conclusion: 1,
  keys: 1,
  'canonical.kind': 1,
  'canonical.number': 1,
  'canonical.references': 1,
  'canonical.currency': 1,
  'canonical.dueDate': 1,
  'canonical.amounts': 1,
} as const;

/** The invoices as figures are made of them. By the driver: every change of an invoice is counted. */
export function invoiceStatisticsSource(connection: Connection): StatisticsSource<InvoiceRecord> {
  const invoices = invoiceCollection(connection);
  const { tickets } = ticketCollections(connection);
  const companies = ['$client_id'];

  /** The corrective invoices in force that may replace these, by the key that they share. */
  async function correctives(found: readonly Invoice[], session: ClientSession): Promise<Map<string, InvoiceRecord[]>> {
    const byClient = Map.groupBy(found, ({ client_id }) => client_id);
    const byKey = new Map<string, InvoiceRecord[]>();
    for (const [client_id, own] of byClient) {
      const keys = own.flatMap(({ keys }) => replacingKeys(keys.lookupKeys));
      if (keys.length === 0) continue;
      const filter = { client_id, 'keys.lookupKeys': { $in: keys } };
      const named = await invoices.find(filter, { projection, session, hint: 'lookupKeys' }).toArray();
      for (const one of named.map(whole).filter(isInForce))
        for (const key of one.keys.lookupKeys)
          byKey.set(`${client_id} ${key}`, [...(byKey.get(`${client_id} ${key}`) ?? []), one]);
    }
    return byKey;
  }

  /** Where the tickets of the invoices are. `RematchQueue` has their invoices counted again when they move. */
  async function placesOf(found: readonly Invoice[], session: ClientSession): Promise<Map<string, string[]>> {
    const ids = [...new Set(found.flatMap(({ ticket_id }) => ticket_id ?? []))];
    if (ids.length === 0) return new Map();
    const options = { projection: { location_ids: 1 }, session, hint: '_id_' } as const;
    const known = await tickets.find({ _id: { $in: ids } }, options).toArray();
    return new Map(known.map(({ _id, location_ids = [] }) => [_id, location_ids]));
  }

  return {
    collection: invoices,
    projection,
    companies,
    async entriesOf(found, session) {
      // Tombstones stand among the invoices.
      const read = found.map(whole);
      const all = read.filter(isInvoice);
      const byKey = await correctives(all, session);
      const places = await placesOf(all, session);
      return read.map((invoice) => {
        if (!isInvoice(invoice)) return [];
        const keys = replacingKeys(invoice.keys.lookupKeys);
        const possible = keys.flatMap((key) => byKey.get(`${invoice.client_id} ${key}`) ?? []);
        const isReplaced = possible.some(({ canonical }) => isNamedBy(invoice.canonical, canonical));
        return invoiceEntries({ invoice, isReplaced, places: places.get(invoice.ticket_id ?? '') ?? [] });
      });
    },
    async alsoCount(changed, session) {
      for (const invoice of changed.filter(isInvoice)) {
        const keys = invoice.canonical?.kind === 'corrective' ? precedingKeys(invoice) : [];
        if (keys.length === 0) continue;
        const named = { client_id: invoice.client_id, 'keys.lookupKeys': { $in: keys } };
        await invoices.updateMany(named, [{ $set: { uncounted: companies } }], { session, hint: 'lookupKeys' });
      }
    },
  };
}

/** Of an invoice that cannot be read MongoDB projects no `canonical`, where null is stored. */
function whole(found: InvoiceRecord): InvoiceRecord {
  return { ...found, canonical: found.canonical ?? null };
}

function isInvoice(found: object): found is Invoice {
  return 'state' in found;
}
