import { isDeepStrictEqual } from 'node:util';
import { eachBatch, type MigrationContext } from '@app/migrations';
import type { mongo } from 'mongoose';
import { facetsOf, searchKeys } from '../lists/list-keys.ts';
import { type StoredTicket, ticketCollection } from './ticket-collection.ts';

const needed = {
  ...{ version: 1, views: 1, title: 1, number: 1, search: 1 },
  ...{ location_ids: 1, manager_ids: 1, priority: 1 },
} as const;

/**
 * Computes the keys that lists find tickets by, for all tickets that match, and writes those that differ from the stored ones
 * (docs/decisions/0141-list-keys.md).
 */
export async function writeListKeys(context: MigrationContext, filter: mongo.Filter<StoredTicket>): Promise<void> {
  const collection = ticketCollection(context.connection);
  await eachBatch(context, { collection, filter }, async (ids) => {
    // A ticket that changes between read and write is read again, since its keys are derived from
    // it.
    for (let left = ids; left.length > 0; ) {
      context.signal.throwIfAborted();
      const found = await collection.find({ _id: { $in: left } }, { projection: needed }).toArray();
      const writes = found.flatMap(keysUpdate);
      if (writes.length === 0) return;
      await collection.bulkWrite(writes, { ordered: false });
      left = writes.map(({ updateOne }) => updateOne.filter._id);
    }
  });
}

/**
 * For tickets that lack a field: one of them must not make the migration fail, and so stop the
 * release.
 */
const missing = { views: [], title: '', number: '', location_ids: [], manager_ids: [], priority: 'none' as const };

function keysUpdate(stored: StoredTicket) {
  const ticket = { ...missing, ...stored };
  const search = searchKeys(ticket);
  const facets = ticket.views.map((view) => facetsOf(ticket, view));
  const same = isDeepStrictEqual([ticket.search, ticket.views.map((view) => view.facets)], [search, facets]);
  if (same) return [];
  const $set = { search, ...Object.fromEntries(facets.map((keys, index) => [`views.${index}.facets`, keys])) };
  return [{ updateOne: { filter: { _id: ticket._id, version: ticket.version }, update: { $set } } }];
}
