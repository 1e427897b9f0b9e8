import { newId } from '@app/kernel';
import { isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { epoch, type InvoiceKey, invoicesOf } from './invoice-store.ts';

/**
 * In the place of an invoice that the provider had no more before it was known here: what was fetched before `gone_at` comes
 * too late (row 3). It stands among the invoices, under their unique key: of a fetch and a deletion that race, the second
 * always finds the first, and an invoice that is new costs no question more.
 */
export type Tombstone = InvoiceKey & { _id: string; gone_at: Date; forget_at: Date };

export type TombstoneStore = {
  /** Remembers it, for longer than any message waits; false where the invoice is known by now. */
  bury(key: InvoiceKey, goneAt: Date, now: Date): Promise<boolean>;
  /** The provider has it again. */
  lift(tombstone: Tombstone): Promise<void>;
};

const keptMs = 30 * 24 * 3_600_000;

export function isTombstone(found: object): found is Tombstone {
  return 'gone_at' in found;
}

export function createTombstoneStore({ connection }: { connection: Connection }): TombstoneStore {
  const collection = invoicesOf(connection).collection as unknown as ReturnType<
    typeof connection.collection<Tombstone>
  >;
  return {
    async bury({ client_id, provider, external_id }, gone_at, now) {
      const forget_at = new Date(now.getTime() + keptMs);
      // Not an id that a route takes: nobody can ask for it.
      const update = { $max: { gone_at, forget_at }, $setOnInsert: { _id: `gone:${newId()}` } };
      try {
        const filter = { client_id, provider, external_id, gone_at: { $gt: epoch } };
        await collection.updateOne(filter, update, { upsert: true });
        return true;
      } catch (error) {
        if (isDuplicateKey(error, 'key')) return false;
        throw error;
      }
    },
    async lift({ _id, gone_at }) {
      await collection.deleteOne({ _id, gone_at });
    },
  };
}
