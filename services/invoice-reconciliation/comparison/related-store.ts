import type { Connection } from 'mongoose';
import {
  duplicateRelation,
  isDuplicateLookupKey,
  isNamedBy,
  precedingKeys,
  type RelatedRecord,
  replacingKeys,
} from '../invoices/duplicates.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceCollection } from '../invoices/invoice-collection.ts';
import type { Related, Relation } from './related.ts';

/** Other invoices of the client that a person must see beside this one. */
export type RelatedInvoices = (invoice: Invoice) => Promise<Related[]>;

const maxRelated = 20;
/** A limit, since many invoices may share a lookup key without being related. */
const maxRead = 100;
const projection = { canonical: 1, content: 1, 'keys.lookupKeys': 1, state: 1, ticket_id: 1 };

export function createRelatedInvoices({ connection }: { connection: Connection }): RelatedInvoices {
  const invoices = invoiceCollection(connection);
  return async (invoice) => {
    const { _id, client_id, keys, canonical } = invoice;
    if (canonical === null) return [];
    const own = { duplicates: keys.lookupKeys.filter(isDuplicateLookupKey), replacing: replacingKeys(keys.lookupKeys) };
    const preceding = precedingKeys(invoice);
    const filter = { client_id, 'keys.lookupKeys': { $in: [...own.duplicates, ...own.replacing, ...preceding] } };
    const found = await invoices
      .find<RelatedRecord & Pick<Invoice, '_id' | 'keys' | 'state' | 'ticket_id'>>(filter, {
        projection,
        hint: 'lookupKeys',
        limit: maxRead,
      })
      .toArray();
    const relationOf = (other: (typeof found)[number]): Relation | null => {
      const has = (wanted: readonly string[]) => other.keys.lookupKeys.some((key) => wanted.includes(key));
      if (has(own.replacing) && isNamedBy(canonical, other.canonical)) return 'replaced_by';
      if (has(preceding) && isNamedBy(other.canonical, canonical))
        return canonical.kind === 'corrective' ? 'replaces' : 'credits';
      return duplicateRelation(invoice, other);
    };
    return found
      .filter((other) => other._id !== _id)
      .flatMap((other) => {
        const relation = relationOf(other);
        const number = other.canonical?.number ?? null;
        return relation ? [{ id: other._id, number, state: other.state, relation, ticketId: other.ticket_id }] : [];
      })
      .slice(0, maxRelated);
  };
}
