import type { Connection as Database } from 'mongoose';
import { toAccount } from '../connections/account-store.ts';
import type { Account } from '../connections/connection.ts';
import { connectionRecords } from '../connections/connection-record-store.ts';

/** The right to poll a connection; switching it off, deleting it or giving it another key takes it away. */
export type PollLease = { id: string; until: Date };

export type PollStore = {
  /** The connection that has waited longest for its poll; null where none is due. */
  claim(lease: PollLease, now: Date): Promise<Account | null>;
  /** A page is safe: everything up to `seenUntil` was seen. False where the lease is lost. */
  advance(id: string, lease: PollLease, seenUntil: Date | null): Promise<boolean>;
  /** The poll is over; the next is due then. Gives the number of polls that failed in a row. */
  end(id: string, lease: PollLease, outcome: { next: Date; failed: boolean }): Promise<number>;
  /** Its provider cannot be polled. */
  never(id: string, lease: PollLease): Promise<void>;
};

export function createPollStore(database: Database): PollStore {
  const records = connectionRecords(database);
  return {
    async claim(lease, now) {
      const found = await records.findOneAndUpdate(
        { pollDueAt: { $lte: now } },
        { $set: { pollDueAt: lease.until, pollLease: lease.id } },
        { sort: { pollDueAt: 1 }, returnDocument: 'after' },
      );
      return found && toAccount(found);
    },
    async advance(id, lease, seenUntil) {
      const { matchedCount } = await records.updateOne(
        { _id: id, pollLease: lease.id },
        { $set: { pollDueAt: lease.until }, ...(seenUntil ? { $max: { lastPolledAt: seenUntil } } : {}) },
      );
      return matchedCount === 1;
    },
    async end(id, lease, { next, failed }) {
      const ended = await records.findOneAndUpdate(
        { _id: id, pollLease: lease.id },
        [
          {
            $set: {
              pollDueAt: next,
              pollLease: '$$REMOVE',
              pollFailures: failed ? { $add: ['$pollFailures', 1] } : { $literal: 0 },
            },
          },
        ],
        { returnDocument: 'after' },
      );
      return ended?.pollFailures ?? 0;
    },
    async never(id, lease) {
      await records.updateOne({ _id: id, pollLease: lease.id }, { $unset: { pollDueAt: 1, pollLease: 1 } });
    },
  };
}
