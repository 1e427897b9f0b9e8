import { createCompanyClosures } from '@app/service';
import type { Connection as Database } from 'mongoose';
import { connectionRecords } from './connection-store.ts';

/**
 * The closed companies, by identity's events. No provider is called for them, even if their connections are set to
 * active.
 */
export type CompanyClosureStore = ReturnType<typeof createCompanyClosureStore>;

export function createCompanyClosureStore(database: Database) {
  const closures = createCompanyClosures(database);
  const records = connectionRecords(database);
  return {
    update: closures.update,
    /**
     * Applies the company's state to its connections. When it is opened again, active ones become due for a poll at once.
     * @returns whether it is closed, and the ids of all its connections; open and no ids if it was never closed
     */
    async apply(companyId: string, at: Date): Promise<{ closed: boolean; connectionIds: string[] }> {
      const company = await closures.find(companyId);
      if (!company) return { closed: false, connectionIds: [] };
      const { closed, version } = company;
      const older = { client: companyId, deleted: false, companyVersion: { $not: { $gte: version } } };
      const state = closed ? whenClosed : whenOpen(at);
      await records.updateMany(older, [{ $set: { companyVersion: version, ...state } }], { hint: 'client' });
      const options = { projection: { _id: 1 }, hint: 'client' };
      const found = await records.find({ client: companyId, deleted: false }, options).toArray();
      return { closed, connectionIds: found.map(({ _id }) => _id) };
    },
  };
}

/** One that is off may have a subscription to end, which its company's state does not change. */
const whenClosed = {
  companyClosed: true,
  pollDueAt: { $cond: ['$active', '$$REMOVE', '$pollDueAt'] },
  pollLease: { $cond: ['$active', '$$REMOVE', '$pollLease'] },
};

const whenOpen = (at: Date) => ({
  companyClosed: '$$REMOVE',
  pollDueAt: { $cond: [{ $and: ['$companyClosed', '$active'] }, at, '$pollDueAt'] },
});
