import { newId } from '@app/kernel';
import { isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type InvoiceKey, invoicesOf } from './invoice-store.ts';
import { type Asked, isLater } from './order.ts';

/**
 * In the place of an invoice that the provider had no more before it was known here: what was fetched before `gone_at` comes
 * too late (row 3). It stands among the invoices, under their unique key: of a fetch and a deletion that race, the second
 * always finds the first, and an invoice that is new costs no question more.
 */
export type Tombstone = InvoiceKey & { _id: string; gone_at: Date; sequence?: number | null; forget_at: Date };

export type TombstoneStore = {
  /** Remembers it, for longer than any message waits; false where there is an invoice or a tombstone by now. */
  bury(key: InvoiceKey, asked: Asked, now: Date): Promise<boolean>;
  /** The provider was asked once more; an older answer changes nothing. False where it was changed meanwhile. */
  renew(tombstone: Tombstone, asked: Asked, now: Date): Promise<boolean>;
  /** The provider has it again. */
  lift(tombstone: Tombstone): Promise<void>;
};

const keptMs = 30 * 24 * 3_600_000;

export function isTombstone(found: object): found is Tombstone {
  return 'gone_at' in found;
}

/** When the provider had it no more. */
export function askedOf({ gone_at: at, sequence = null }: Tombstone): Asked {
  return { at, sequence };
}

export function createTombstoneStore({ connection }: { connection: Connection }): TombstoneStore {
  const collection = invoicesOf(connection).collection as unknown as ReturnType<
    typeof connection.collection<Tombstone>
  >;
  const forgetAt = (now: Date) => new Date(now.getTime() + keptMs);
  const asRead = ({ _id, gone_at, sequence = null }: Tombstone) => ({ _id, gone_at, sequence });

  return {
    async bury({ client_id, provider, external_id }, { at: gone_at, sequence }, now) {
      const key = { client_id, provider, external_id };
      try {
        // Not an id that a route takes: nobody can ask for it.
        await collection.insertOne({ _id: `gone:${newId()}`, ...key, gone_at, sequence, forget_at: forgetAt(now) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error, 'key')) return false;
        throw error;
      }
    },
    async renew(tombstone, asked, now) {
      if (!isLater(asked, askedOf(tombstone))) return true;
      const { at: gone_at, sequence } = asked;
      const update = { $set: { gone_at, sequence, forget_at: forgetAt(now) } };
      return (await collection.updateOne(asRead(tombstone), update)).matchedCount === 1;
    },
    async lift(tombstone) {
      await collection.deleteOne(asRead(tombstone));
    },
  };
}
