import { eachBatch, type Migration } from '@app/migrations';
import { facetsOf, searchKeys } from '../tickets/list-keys.ts';
import { type StoredTicket, ticketCollection } from '../tickets/ticket-model-store.ts';

const lacksKeys = {
  $or: [{ search: { $exists: false } }, { views: { $elemMatch: { facets: { $exists: false } } } }],
};
const needed = { version: 1, views: 1, title: 1, number: 1, location_ids: 1, manager_ids: 1, priority: 1 } as const;

/** Gives tickets of early versions the keys that lists find them by (docs/decisions/0141-list-keys.md). */
export const ticketListKeys: Migration = {
  id: '0002-ticket-list-keys',
  async up(context) {
    const collection = ticketCollection(context.connection);
    await eachBatch(context, { collection, filter: lacksKeys }, async (ids) => {
      // A ticket that changes in between is read again: its keys follow from its views.
      for (let left = ids; left.length > 0; ) {
        context.signal.throwIfAborted();
        const found = await collection.find({ _id: { $in: left }, ...lacksKeys }, { projection: needed }).toArray();
        if (found.length === 0) return;
        await collection.bulkWrite(found.map(keysUpdate), { ordered: false });
        left = found.map(({ _id }) => _id);
      }
    });
  },
};

/** A ticket with missing fields must not stop the migration. */
const missing = { views: [], title: '', number: '', location_ids: [], manager_ids: [], priority: 'none' as const };

function keysUpdate(stored: StoredTicket) {
  const ticket = { ...missing, ...stored };
  const facets = ticket.views.map((view, index) => [`views.${index}.facets`, facetsOf(ticket, view)]);
  const $set = { search: searchKeys(ticket), ...Object.fromEntries(facets) };
  return { updateOne: { filter: { _id: ticket._id, version: ticket.version }, update: { $set } } };
}
