import { beginningWith, hasAll, type Page, wordsSearched } from '@app/kernel';
import type { mongo } from 'mongoose';

/** `words`: the search words. */
export type WithWords = { _id: string; words?: string[] };

/**
 * At most this many documents with the longest word are read. If more have it, the result is
 * incomplete. A beginning is a range of the index: a text index finds whole words alone, and an expression scans.
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
