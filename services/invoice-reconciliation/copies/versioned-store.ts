import { duplicateIndexes, isDuplicateKey } from '@app/runtime';
import type { mongo } from 'mongoose';

type Versioned = { _id: string; version: number };
type Kept<T> = { id: string; version: number; set: Partial<T> };

/**
 * Keeps facts at their version; where the same or a newer one is there, nothing changes. Told in any order, it ends right.
 * @returns whether it was kept
 */
export async function keepNewer<T extends Versioned>(collection: mongo.Collection<T>, kept: Kept<T>): Promise<boolean> {
  const { filter, update } = newer(kept);
  try {
    await collection.updateOne(filter, update, { upsert: true });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
    // The insert that the upsert then tries found its id taken: by one that is not older, or by an older one just now.
    return (await collection.updateOne(filter, update)).matchedCount === 1;
  }
}

/**
 * The same for many at once, each of its own id.
 * @returns ids of those that certainly were kept
 */
export async function keepAllNewer<T extends Versioned>(
  collection: mongo.Collection<T>,
  all: Kept<T>[],
): Promise<Set<string>> {
  const kept = new Set(all.map(({ id }) => id));
  try {
    const writes = all.map((one) => ({ updateOne: { ...newer(one), upsert: true } }));
    await collection.bulkWrite(writes, { ordered: false });
  } catch (error) {
    for (const index of duplicateIndexes(error)) kept.delete(all[index]?.id ?? '');
  }
  return kept;
}

function newer<T extends Versioned>({ id, version, set }: Kept<T>) {
  const filter = { _id: id, version: { $lt: version } } as unknown as mongo.Filter<T>;
  return { filter, update: { $set: { ...set, version } } as unknown as mongo.UpdateFilter<T> };
}
