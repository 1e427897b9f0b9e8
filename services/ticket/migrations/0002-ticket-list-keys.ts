import type { Migration } from '@app/migrations';
import { writeListKeys } from '../tickets/stores/list-keys-store.ts';

const lacksKeys = {
  $or: [{ search: { $exists: false } }, { views: { $elemMatch: { facets: { $exists: false } } } }],
};

/** Gives tickets of early versions what lists find them by. */
export const ticketListKeys: Migration = {
  id: '0002-ticket-list-keys',
  up: (context) => writeListKeys(context, lacksKeys),
};
