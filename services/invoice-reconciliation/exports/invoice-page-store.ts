import { type Connection, mongo } from 'mongoose';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceCollection, invoiceOnly } from '../invoices/invoice-collection.ts';

/** Where an invoice stands in the order of their keys. */
export type InvoicePosition = Pick<Invoice, 'provider' | 'external_id'>;

/** Invoices of a client in the order of providers and their ids, which the unique index has; deleted ones left out. */
export type InvoicePages = (clientId: string, after: InvoicePosition | null, limit: number) => Promise<Invoice[]>;

export function createInvoicePages(connection: Connection): InvoicePages {
  const invoices = invoiceCollection(connection);
  return async (client_id, after, limit) => {
    const first = { provider: new mongo.MinKey(), external_id: new mongo.MinKey() };
    const past = { provider: new mongo.MaxKey(), external_id: new mongo.MaxKey() };
    const found = invoices
      .find({ client_id, state: { $exists: true } }, { projection: invoiceOnly })
      .hint({ client_id: 1, provider: 1, external_id: 1 })
      .min({ client_id, ...(after ?? first) })
      .max({ client_id, ...past })
      .sort({ client_id: 1, provider: 1, external_id: 1 });
    // The bound is inclusive.
    const page = (await found.limit(limit + 1).toArray()) as unknown as Invoice[];
    return page.filter((one) => !after || !isAt(one, after)).slice(0, limit);
  };
}

function isAt({ provider, external_id }: Invoice, position: InvoicePosition): boolean {
  return provider === position.provider && external_id === position.external_id;
}
