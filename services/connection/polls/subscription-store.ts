import type { Connection as Database } from 'mongoose';
import { connectionRecords } from '../connections/connection-store.ts';
import type { PollLease } from './poll-store.ts';

/** The subscription of a connection at its provider. Each write needs the lease of the connection's poll; false if it was lost. */
export type SubscriptionStore = {
  /** @param sealedSigningKey sealed for this connection */
  save(
    connectionId: string,
    lease: PollLease,
    subscription: { id: string; sealedSigningKey: string },
  ): Promise<boolean>;
  markChecked(connectionId: string, lease: PollLease, at: Date): Promise<boolean>;
  /** Forgets it, and the secrets of a deleted connection, which is never polled again. */
  forget(connectionId: string, lease: PollLease): Promise<boolean>;
};

export function createSubscriptionStore(database: Database): SubscriptionStore {
  const records = connectionRecords(database);
  const update = async (id: string, lease: PollLease, change: object | object[]) =>
    (await records.updateOne({ _id: id, pollLease: lease.id }, change)).matchedCount === 1;
  return {
    save: (id, lease, { id: subscriptionId, sealedSigningKey: signingKey }) =>
      update(id, lease, { $set: { subscriptionId, signingKey } }),
    markChecked: (id, lease, at) => update(id, lease, { $set: { subscriptionCheckedAt: at } }),
    forget(id, lease) {
      const unlessDeleted = (field: string) => ({ $cond: ['$deleted', null, `$${field}`] });
      const secrets = { apiKey: unlessDeleted('apiKey'), oauthClientSecret: unlessDeleted('oauthClientSecret') };
      const ended = { subscriptionId: '$$REMOVE', signingKey: null, pollDueAt: '$$REMOVE', pollLease: '$$REMOVE' };
      return update(id, lease, [{ $set: { ...secrets, ...ended, pollFailures: 0 } }]);
    },
  };
}
