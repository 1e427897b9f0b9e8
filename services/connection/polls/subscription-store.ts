import type { Connection as Database } from 'mongoose';
import { connectionRecords } from '../connections/connection-store.ts';
import type { PollLease } from './poll-store.ts';

/** The subscription of a connection at its provider. Each write needs the lease of the connection's poll; false if it was lost. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

export function createSubscriptionStore(database: Database) {
  const records = connectionRecords(database);
  const update = async (id: string, lease: PollLease, change: object | object[]) =>
    (await records.updateOne({ _id: id, pollLease: lease.id }, change)).matchedCount === 1;
  return {
    /** @param sealedSigningKey sealed for this connection */
    save: (
      id: string,
      lease: PollLease,
      { id: subscriptionId, sealedSigningKey: signingKey }: { id: string; sealedSigningKey: string },
    ): Promise<boolean> => update(id, lease, { $set: { subscriptionId, signingKey } }),
    markChecked: (id: string, lease: PollLease, at: Date): Promise<boolean> =>
      update(id, lease, { $set: { subscriptionCheckedAt: at } }),
    /** Forgets it, and the secrets of a deleted connection, which is never polled again. */
    forget(id: string, lease: PollLease): Promise<boolean> {
      const unlessDeleted = (field: string) => ({ $cond: ['$deleted', null, `$${field}`] });
      const secrets = { apiKey: unlessDeleted('apiKey'), oauthClientSecret: unlessDeleted('oauthClientSecret') };
      const ended = { subscriptionId: '$$REMOVE', signingKey: null, pollDueAt: '$$REMOVE', pollLease: '$$REMOVE' };
      return update(id, lease, [{ $set: { ...secrets, ...ended, pollFailures: 0 } }]);
    },
  };
}
