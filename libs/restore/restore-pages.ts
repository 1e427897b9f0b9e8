import type { KnownThing } from '@app/contracts';
import type { mongo } from 'mongoose';
import type { KnownPage } from './restore-participant.ts';

type Stored = { _id: string };
type Paging<T> = { filter?: mongo.Filter<T>; projection?: object; limit?: number };

/** A page of documents, ascending by id; `next` is null on the last page. */
export async function readPage<T extends Stored>(
  collection: mongo.Collection<T>,
  after: string | null,
  { filter = {}, projection = {}, limit = 500 }: Paging<T> = {},
): Promise<{ found: T[]; next: string | null }> {
  const page = (after === null ? filter : { $and: [{ _id: { $gt: after } }, filter] }) as mongo.Filter<T>;
  const read = collection.find<T>(page, { projection, sort: { _id: 1 }, limit });
  const found = await read.toArray();
  return { found, next: found.length === limit ? (found.at(-1)?._id ?? null) : null };
}

/** A reader of pages of the other services' things that a service keeps, for `known`. */
export function knownIn<T extends Stored>(
  collection: mongo.Collection<T>,
  { thingsOf, ...paging }: Paging<T> & { thingsOf: (document: T) => KnownThing[] },
): (after: string | null) => Promise<KnownPage> {
  return async (after) => {
    const { found, next } = await readPage(collection, after, paging);
    return { things: found.flatMap(thingsOf), next };
  };
}

/** The ids of those things that exist in the collection. */
export function existingIn<T extends Stored>(
  collection: mongo.Collection<T>,
  filter: mongo.Filter<T> = {},
): (things: KnownThing[]) => Promise<{ ids: string[] }> {
  return async (things) => {
    const wanted = { $and: [{ _id: { $in: things.map(({ id }) => id) } }, filter] } as mongo.Filter<T>;
    const found = await collection.find(wanted, { projection: { _id: 1 } }).toArray();
    return { ids: found.map(({ _id }) => String(_id)) };
  };
}
