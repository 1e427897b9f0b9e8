import { isDuplicateKey } from '@app/runtime';
import type { mongo } from 'mongoose';

type Versioned = { _id: string; version: number };

/**
 * Writes a document unless the same or a newer version is stored, so that messages may arrive in any order and repeatedly.
 * @returns whether it was written
 */
export async function upsertIfNewer<T extends Versioned>(
  collection: mongo.Collection<T>,
  { id, version, set }: { id: string; version: number; set: Partial<T> },
): Promise<boolean> {
  const filter = { _id: id, version: { $lt: version } } as unknown as mongo.Filter<T>;
  const update = { $set: { ...set, version } } as unknown as mongo.UpdateFilter<T>;
  try {
    await collection.updateOne(filter, update, { upsert: true });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
    // The id exists, with a version that is not older; or it was inserted just now with an older
    // one, and this update matches it.
    return (await collection.updateOne(filter, update)).matchedCount === 1;
  }
}
