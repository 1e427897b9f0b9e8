import { isDuplicateKey } from '@app/runtime';
import type { mongo } from 'mongoose';

type Versioned = { _id: string; version: number };
type Kept<T> = { id: string; version: number; set: Partial<T>; inc?: Record<string, number> };

/** Keeps facts at their version; where the same or a newer one is there, nothing changes. Told in any order, it ends right. */
export async function keepNewer<T extends Versioned>(
  collection: mongo.Collection<T>,
  { id, version, set, inc }: Kept<T>,
): Promise<void> {
  try {
    const update = { $set: { ...set, version }, ...(inc ? { $inc: inc } : {}) };
    await collection.updateOne({ _id: id, version: { $lt: version } } as never, update as never, { upsert: true });
  } catch (error) {
    // There is one that is not older: the insert that the upsert then tries finds its id taken.
    if (!isDuplicateKey(error, '_id_')) throw error;
  }
}
