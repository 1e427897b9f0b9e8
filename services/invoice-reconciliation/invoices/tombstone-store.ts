import { newId } from '@app/kernel';
import { isDuplicateKey } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type FetchTime, isLater } from './fetch-order.ts';
import { type InvoiceKey, type Tombstone, tombstoneCollection } from './invoice-collection.ts';

export type TombstoneStore = ReturnType<typeof createTombstoneStore>;

/** Longer than any message may be delayed. */
const keptMs = 30 * 24 * 3_600_000;

export function isTombstone(found: object): found is Tombstone {
  return 'gone_at' in found;
}

export function deletionTimeOf({ gone_at: at, sequence }: Tombstone): FetchTime {
  return { at, sequence };
}

export function createTombstoneStore({ connection }: { connection: Connection }) {
  const collection = tombstoneCollection(connection);
  const forgetAt = (now: Date) => new Date(now.getTime() + keptMs);
  const unchanged = ({ _id, gone_at, sequence }: Tombstone) => ({ _id, gone_at, sequence });

  return {
    /** Adds a tombstone; false if an invoice or a tombstone of that key exists by now. */
    async add(
      { client_id, provider, external_id }: InvoiceKey,
      { at: gone_at, sequence }: FetchTime,
      now: Date,
    ): Promise<boolean> {
      const key = { client_id, provider, external_id };
      try {
        // No valid invoice id, so that no route finds it.
        await collection.insertOne({ _id: `gone:${newId()}`, ...key, gone_at, sequence, forget_at: forgetAt(now) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error, 'key')) return false;
        throw error;
      }
    },
    /** Updates it with a later deletion; an earlier one changes nothing. False if it was changed meanwhile. */
    async renew(tombstone: Tombstone, deleted: FetchTime, now: Date): Promise<boolean> {
      if (!isLater(deleted, deletionTimeOf(tombstone))) return true;
      const update = { $set: { gone_at: deleted.at, sequence: deleted.sequence, forget_at: forgetAt(now) } };
      return (await collection.updateOne(unchanged(tombstone), update)).matchedCount === 1;
    },
    /** Removes it unless it was changed meanwhile: the provider has the invoice again. */
    async remove(tombstone: Tombstone): Promise<void> {
      await collection.deleteOne(unchanged(tombstone));
    },
  };
}
