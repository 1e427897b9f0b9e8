import type { Connection } from 'mongoose';
import { hasEnded } from './arrival.ts';
import { replacingKeys } from './identity.ts';
import type { Invoice } from './invoice.ts';
import { invoicesOf } from './invoice-store.ts';

/**
 * The same invoices of a client, with the flag `replaced` on those that a corrective invoice (384) replaces (domain.md
 * section 5). Asked when they are read rather than kept with them: it is so whichever of the two came first, and no more
 * once the provider has ended the corrective one.
 */
export type FlagReplaced = (clientId: string, invoices: Invoice[]) => Promise<Invoice[]>;

/** Of one invoice there are hardly several; a page holds 200. */
const mostReplacing = 1_000;
const flag = 'replaced';

export function createFlagReplaced({ connection }: { connection: Connection }): FlagReplaced {
  const { collection } = invoicesOf(connection);

  async function replacing(client_id: string, keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const found = await collection
      .find(
        { client_id, 'keys.twins': { $in: keys } },
        { projection: { 'keys.twins': 1, provider_status: 1 }, hint: 'twins' },
      )
      .limit(mostReplacing)
      .toArray();
    return new Set(found.flatMap((one) => (hasEnded(one.provider_status) ? [] : one.keys.twins)));
  }

  return async (clientId, invoices) => {
    const keysOf = new Map(invoices.map((invoice) => [invoice, replacingKeys(invoice.keys.twins)]));
    const known = await replacing(clientId, [...keysOf.values()].flat());
    return invoices.map((invoice) => {
      const isReplaced = keysOf.get(invoice)?.some((key) => known.has(key)) ?? false;
      return isReplaced ? { ...invoice, flags: [...invoice.flags, flag] } : invoice;
    });
  };
}
