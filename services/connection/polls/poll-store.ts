import type { Connection as Database } from 'mongoose';
import { toAccount } from '../connections/account-store.ts';
import type { Account } from '../connections/connection.ts';
import { connectionRecords } from '../connections/connection-record-store.ts';

/** The right to poll a connection; switching it off, deleting it or giving it another key takes it away. */
export type PollLease = { id: string; until: Date };

export type PollStore = {
  /** The connection that has waited longest for its poll, or is due later than any can be; null where there is none. */
  claim(lease: PollLease, due: { now: Date; latest: Date }): Promise<Account | null>;
  /** A page is safe, and with the last one all of the poll. False where the lease is lost. */
  advance(id: string, lease: PollLease, seen: Seen): Promise<boolean>;
  /** The poll is over; the next is due then. Gives the number of polls that failed in a row. */
  end(id: string, lease: PollLease, outcome: { next: Date; failed: boolean }): Promise<number>;
  /** Its provider cannot be polled. */
  never(id: string, lease: PollLease): Promise<void>;
};

/** The last change of a page, as its provider says; where it is the last page, when its poll began. */
export type Seen = { seenUntil: Date | null; lastPolledAt: Date | null };

export function createPollStore(database: Database): PollStore {
  const records = connectionRecords(database);
  return {
    async claim(lease, { now, latest }) {
      const found = await records.findOneAndUpdate(
        { $or: [{ pollDueAt: { $lte: now } }, { pollDueAt: { $gt: latest } }] },
        { $set: { pollDueAt: lease.until, pollLease: lease.id } },
        { sort: { pollDueAt: 1 }, returnDocument: 'after' },
      );
      return found && toAccount(found);
    },
    async advance(id, lease, { seenUntil, lastPolledAt }) {
      const seen = { ...(seenUntil ? { seenUntil } : {}), ...(lastPolledAt ? { lastPolledAt } : {}) };
      const { matchedCount } = await records.updateOne(
        { _id: id, pollLease: lease.id },
        { $set: { pollDueAt: lease.until, ...seen } },
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
