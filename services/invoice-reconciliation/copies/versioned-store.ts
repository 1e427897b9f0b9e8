import { isDuplicateKey } from '@app/runtime';
import type { mongo } from 'mongoose';

type Versioned = { _id: string; version: number };
type Kept<T> = { id: string; version: number; set: Partial<T>; writeConcern?: { w: 1 } };

/**
 * Keeps facts at their version; where the same or a newer one is there, nothing changes. Told in any order, it ends right.
 * @returns whether it was kept
 */
export async function keepNewer<T extends Versioned>(
  collection: mongo.Collection<T>,
  { id, version, set, writeConcern }: Kept<T>,
): Promise<boolean> {
  try {
    const older = { _id: id, version: { $lt: version } };
    const options = { upsert: true, ...(writeConcern ? { writeConcern } : {}) };
    await collection.updateOne(older as never, { $set: { ...set, version } } as never, options);
    return true;
  } catch (error) {
    // There is one that is not older: the insert that the upsert then tries finds its id taken.
    if (!isDuplicateKey(error, '_id_')) throw error;
    return false;
  }
}
