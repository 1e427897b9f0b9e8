import type { mongo } from 'mongoose';

export type PagingById<T> = { filter?: mongo.Filter<T>; projection?: object; limit?: number; hint?: string };

/** A page of documents, ascending by id; `next` is null on the last page. */
export async function pageById<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  after: string | null,
  { filter = {}, limit = 500, ...options }: PagingById<T> = {},
): Promise<{ found: T[]; next: string | null }> {
  const page = (after === null ? filter : { $and: [{ _id: { $gt: after } }, filter] }) as mongo.Filter<T>;
  const found = await collection.find<T>(page, { ...options, sort: { _id: 1 }, limit, batchSize: limit }).toArray();
  return { found, next: found.length === limit ? (found.at(-1)?._id ?? null) : null };
}
