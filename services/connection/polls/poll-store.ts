import type { Connection as Database } from 'mongoose';
import type { ProviderAccount } from '../connections/connection.ts';
import { connectionRecords } from '../connections/connection-store.ts';
import { toAccount } from '../connections/provider-account-store.ts';

/** The right to poll a connection. Switching it off, deleting it or giving it another key revokes the lease. */
export type PollLease = { id: string; until: Date };

export type PollStore = ReturnType<typeof createPollStore>;

/**
 * `seenUntil`: the last change of the page, by the provider's clock. `lastPolledAt`: start of the
 * poll, given with its last page alone.
 */
type PollProgress = { seenUntil: Date | null; lastPolledAt: Date | null };

const lookedAtMost = 1_000;

export function createPollStore(database: Database) {
  const records = connectionRecords(database);
  return {
    /**
     * The connection that is due for longest at `now`, or whose due time lies after `latest` (a clock was wrong), but none of these
     * providers; else null.
     */
    async claim(
      lease: PollLease,
      { now, latest, except }: { now: Date; latest: Date; except: string[] },
    ): Promise<ProviderAccount | null> {
      const provider = { $nin: except };
      const found = await records.findOneAndUpdate(
        {
          $or: [
            { pollDueAt: { $lte: now }, provider },
            { pollDueAt: { $gt: latest }, provider },
          ],
        },
        { $set: { pollDueAt: lease.until, pollLease: lease.id } },
        { sort: { pollDueAt: 1 }, returnDocument: 'after' },
      );
      return found && toAccount(found);
    },
    /** Records that a page was stored, and extends the lease. False if the lease was lost. */
    async advance(id: string, lease: PollLease, { seenUntil, lastPolledAt }: PollProgress): Promise<boolean> {
      const progress = { ...(seenUntil ? { seenUntil } : {}), ...(lastPolledAt ? { lastPolledAt } : {}) };
      const { matchedCount } = await records.updateOne(
        { _id: id, pollLease: lease.id },
        { $set: { pollDueAt: lease.until, ...progress } },
      );
      return matchedCount === 1;
    },
    /** Ends the poll and schedules the next. Returns the number of consecutive failures. */
    async end(id: string, lease: PollLease, { next, failed }: { next: Date; failed: boolean }): Promise<number> {
      const pollFailures = failed ? { $add: ['$pollFailures', 1] } : { $literal: 0 };
      const ended = await records.findOneAndUpdate(
        { _id: id, pollLease: lease.id },
        [{ $set: { pollDueAt: next, pollLease: '$$REMOVE', pollFailures } }],
        { returnDocument: 'after' },
      );
      return ended?.pollFailures ?? 0;
    },
    /** Ends the poll for good: the provider cannot be polled. */
    async disable(id: string, lease: PollLease): Promise<void> {
      await records.updateOne({ _id: id, pollLease: lease.id }, { $unset: { pollDueAt: 1, pollLease: 1 } });
    },
    /**
     * By provider, since when its longest overdue connection has been due at `at`. Reads the 1,000 longest overdue
     * ones.
     */
    async overdue(at: Date): Promise<Map<string, Date>> {
      const found = await records
        .aggregate<{ _id: string; since: Date }>([
          { $match: { pollDueAt: { $lte: at } } },
          { $sort: { pollDueAt: 1 } },
          { $limit: lookedAtMost },
          { $group: { _id: '$provider', since: { $min: '$pollDueAt' } } },
        ])
        .toArray();
      return new Map(found.map(({ _id, since }) => [_id, since]));
    },
  };
}
