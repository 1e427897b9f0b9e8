import type { Migration } from '@app/migrations';
import { writeListKeys } from '../tickets/stores/list-keys-store.ts';

/**
 * Once more for all tickets: while 0002 was rolled out, replicas of the release before it created
 * tickets without keys, and changed tickets without changing their keys.
 */
export const ticketListKeysAgain: Migration = {
  id: '0003-ticket-list-keys-again',
  up: (context) => writeListKeys(context, {}),
};
