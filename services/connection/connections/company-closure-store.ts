import type { CompanyState } from '@app/contracts';
import { collectionOf, replaceUnlessNewer } from '@app/runtime';
import { type Connection as Database, Schema } from 'mongoose';
import { connectionRecords } from './connection-store.ts';

/**
 * The closed companies, by identity's events. No provider is called for them, even if their connections are set to
 * active.
 */
export type CompanyClosureStore = {
  /** Stores the state of a company, unless a newer one is stored. */
  update(company: Pick<CompanyState, 'id' | 'closed_at' | 'version'>): Promise<void>;
  /**
   * Applies the company's state to its connections. When it is opened again, active ones are polled at once. @returns
   * their ids; none if the company was never closed
   */
  apply(companyId: string, at: Date): Promise<{ closed: boolean; connectionIds: string[] }>;
};

type ClosureRecord = { _id: string; closed: boolean; version: number };

const closureSchema = new Schema<ClosureRecord>(
  {
    _id: { type: String, required: true },
    closed: { type: Boolean, required: true },
    version: { type: Number, required: true },
  },
  { versionKey: false, collection: 'company_closures' },
);

export function createCompanyClosureStore(database: Database): CompanyClosureStore {
  const closures = database.model<ClosureRecord>('CompanyClosure', closureSchema);
  const records = connectionRecords(database);
  return {
    async update({ id, closed_at, version }) {
      const record = { closed: closed_at !== null, version };
      await collectionOf(closures).updateOne({ _id: id }, replaceUnlessNewer(record), { upsert: true });
    },
    async apply(companyId, at) {
      const company = await closures.findById(companyId).lean<ClosureRecord>();
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

const whenClosed = { companyClosed: true, pollDueAt: '$$REMOVE', pollLease: '$$REMOVE' };

const whenOpen = (at: Date) => ({
  companyClosed: '$$REMOVE',
  pollDueAt: { $cond: ['$companyClosed', { $cond: ['$active', at, '$$REMOVE'] }, '$pollDueAt'] },
});
