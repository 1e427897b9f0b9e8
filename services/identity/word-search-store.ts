import { isDeepStrictEqual } from 'node:util';
import { beginningWith, hasAll, wordsSearched } from '@app/kernel';
import { eachBatch, type MigrationContext } from '@app/migrations';
import type { mongo } from 'mongoose';
import type { Page } from './paging.ts';

/**
 * `words`: the search words; absent on a document of an earlier version until the migration has
 * reached it.
 */
export type WithWords = { _id: string; words?: string[] };

/**
 * At most this many documents with the longest word are read. If more have it, the result is
 * incomplete (docs/decisions/0147-words-as-an-index.md).
 */
export const maxLookedAt = 1_000;

type Search = { text: string; hint: string; filter?: object };

/** The documents with all words of the text, ascending by id, after the cursor, at most `limit`. */
export async function findByWords<T extends WithWords>(
  collection: mongo.Collection<T>,
  { text, hint, filter = {} }: Search,
  { limit, cursor = '' }: Page,
): Promise<T[]> {
  const [longest, ...others] = wordsSearched(text);
  if (longest === undefined) return [];
  const having = { ...filter, words: beginningWith(longest) } as unknown as mongo.Filter<T>;
  // In one batch: a second one would cost a round trip.
  const bounds = { limit: maxLookedAt, batchSize: maxLookedAt };
  const looked = await collection.find<WithWords>(having, { projection: { words: 1 }, hint, ...bounds }).toArray();
  const ids = looked
    .filter(({ _id, words = [] }) => _id > cursor && hasAll(words, others))
    .map(({ _id }) => _id)
    .sort()
    .slice(0, limit);
  if (ids.length === 0) return [];
  const found = collection.find<T>({ _id: { $in: ids } } as unknown as mongo.Filter<T>);
  return found.sort({ _id: 1 }).toArray();
}

type Stored = WithWords & { version?: number };

/** Computes the words of all documents of a collection, and writes those that differ. */
export async function writeWords<T>(context: MigrationContext, name: string, wordsOf: (document: T) => string[]) {
  const collection = context.connection.collection<Stored>(name);
  await eachBatch(context, { collection, filter: {} }, async (ids) => {
    const found = await collection.find({ _id: { $in: ids } }).toArray();
    const writes = found.flatMap((document) => {
      const words = wordsOf(document as T);
      if (isDeepStrictEqual(document.words, words)) return [];
      // Only if it is unchanged: any change writes the words itself. Documents of early versions
      // have no version.
      const filter = { _id: document._id, version: document.version ?? null } as mongo.Filter<Stored>;
      return [{ updateOne: { filter, update: { $set: { words } } } }];
    });
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
  });
}
