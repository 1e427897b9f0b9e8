import { beginningWith, hasAll, type Page, wordsSearched } from '@app/kernel';
import type { Model, QueryFilter } from 'mongoose';

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
  model: Model<T>,
  { text, hint, filter = {} }: Search,
  { limit, cursor = '' }: Page,
): Promise<T[]> {
  const [longest, ...others] = wordsSearched(text);
  if (longest === undefined) return [];
  const having = { ...filter, words: beginningWith(longest) } as QueryFilter<T>;
  // In one batch: a second one would cost a round trip.
  const looking = model.find(having, { words: 1 }).hint(hint).limit(maxLookedAt).batchSize(maxLookedAt);
  const looked = await looking.lean<WithWords[]>();
  const ids = looked
    .filter(({ _id, words = [] }) => _id > cursor && hasAll(words, others))
    .map(({ _id }) => _id)
    .sort()
    .slice(0, limit);
  if (ids.length === 0) return [];
  return model
    .find({ _id: { $in: ids } } as QueryFilter<T>)
    .sort({ _id: 1 })
    .lean<T[]>();
}
