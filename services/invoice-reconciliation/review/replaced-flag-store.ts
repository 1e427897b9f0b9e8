import type { Connection } from 'mongoose';
import { isNamedBy, replacingKeys } from '../invoices/duplicates.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';
import { hasEnded } from '../invoices/provider-status.ts';

/**
 * Adds the flag `replaced` to the invoices that a corrective invoice replaces. Computed on reads, not stored: the two may
 * arrive in any order, and the flag goes once the provider has ended the corrective one, or a person has refused it.
 */
export type FlagReplaced = (clientId: string, invoices: Invoice[]) => Promise<Invoice[]>;

const projection = {
  'canonical.kind': 1,
  'canonical.number': 1,
  'canonical.references': 1,
  'keys.lookupKeys': 1,
  provider_status: 1,
  'conclusion.outcome': 1,
};
/** A corrective invoice that was ended by its provider, refused or a duplicate itself replaces nothing. */
function isInForce({ provider_status, conclusion }: InvoiceRecord): boolean {
  return !hasEnded(provider_status) && (!conclusion || conclusion.outcome === 'no_ticket');
}

/** For a page of 200 invoices, which rarely have several each. */
const maxReplacing = 1_000;

export function createFlagReplaced({ connection }: { connection: Connection }): FlagReplaced {
  const collection = invoiceCollection(connection);

  /** Corrective invoices by these keys. */
  async function correctives(client_id: string, keys: string[]): Promise<Map<string, InvoiceRecord[]>> {
    const byKey = new Map<string, InvoiceRecord[]>();
    if (keys.length === 0) return byKey;
    const options = { projection, hint: 'lookupKeys', limit: maxReplacing };
    const found = await collection.find({ client_id, 'keys.lookupKeys': { $in: keys } }, options).toArray();
    for (const one of found.filter(isInForce)) {
      for (const key of one.keys.lookupKeys) byKey.set(key, [...(byKey.get(key) ?? []), one]);
    }
    return byKey;
  }

  return async (clientId, invoices) => {
    const keysOf = new Map(invoices.map((invoice) => [invoice, replacingKeys(invoice.keys.lookupKeys)]));
    const byKey = await correctives(clientId, [...keysOf.values()].flat());
    return invoices.map((invoice) => {
      const possible = keysOf.get(invoice)?.flatMap((key) => byKey.get(key) ?? []) ?? [];
      const isReplaced = possible.some((one) => isNamedBy(invoice.canonical, one.canonical));
      return isReplaced ? { ...invoice, flags: [...invoice.flags, 'replaced'] } : invoice;
    });
  };
}
