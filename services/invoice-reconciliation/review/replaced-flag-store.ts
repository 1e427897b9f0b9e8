import type { Connection } from 'mongoose';
import { replacingKeys } from '../invoices/duplicates.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceCollection } from '../invoices/invoice-collection.ts';
import { hasEnded } from '../invoices/provider-status.ts';

/**
 * Adds the flag `replaced` to the invoices that a corrective invoice replaces. Computed on reads, not stored: the two may
 * arrive in any order, and the flag goes once the provider has ended the corrective one.
 */
export type FlagReplaced = (clientId: string, invoices: Invoice[]) => Promise<Invoice[]>;

/** For a page of 200 invoices, which rarely have several each. */
const maxReplacing = 1_000;

export function createFlagReplaced({ connection }: { connection: Connection }): FlagReplaced {
  const collection = invoiceCollection(connection);

  /** The keys of these under which there are corrective invoices. */
  async function existingKeys(client_id: string, keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const options = { projection: { 'keys.twins': 1, provider_status: 1 }, hint: 'twins', limit: maxReplacing };
    const found = await collection.find({ client_id, 'keys.twins': { $in: keys } }, options).toArray();
    return new Set(found.flatMap((one) => (hasEnded(one.provider_status) ? [] : one.keys.twins)));
  }

  return async (clientId, invoices) => {
    const keysOf = new Map(invoices.map((invoice) => [invoice, replacingKeys(invoice.keys.twins)]));
    const existing = await existingKeys(clientId, [...keysOf.values()].flat());
    return invoices.map((invoice) => {
      const isReplaced = keysOf.get(invoice)?.some((key) => existing.has(key)) ?? false;
      return isReplaced ? { ...invoice, flags: [...invoice.flags, 'replaced'] } : invoice;
    });
  };
}
