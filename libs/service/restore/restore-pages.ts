import type { KnownThing } from '@app/contracts';
import { type PagingById, pageById } from '@app/runtime';
import type { mongo } from 'mongoose';
import type { KnownPage } from './restore-participant.ts';

type Stored = { _id: string };

/** A reader of pages of the other services' things that a service keeps, for `known`. */
export function knownIn<T extends Stored>(
  collection: mongo.Collection<T>,
  { thingsOf, ...paging }: PagingById<T> & { thingsOf: (document: T) => KnownThing[] },
): (after: string | null) => Promise<KnownPage> {
  return async (after) => {
    const { found, next } = await pageById(collection, after, paging);
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
