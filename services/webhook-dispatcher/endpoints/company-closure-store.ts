import type { CompanyState } from '@app/contracts';
import { collectionOf, replaceUnlessNewer } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Endpoint } from './endpoint.ts';
import { endpointCollection, notDeleted, toEndpoint } from './endpoint-store.ts';

/** The closed companies, by identity's events. Their endpoints are inactive, even if they are set to active. */
export type CompanyClosureStore = {
  /** Stores the state of a company, unless a newer one is stored. */
  update(company: Pick<CompanyState, 'id' | 'closed_at' | 'version'>): Promise<void>;
  /**
   * Applies the company's state to its endpoints. @returns the endpoints if the company is closed: their waiting
   * deliveries are to be canceled
   */
  apply(companyId: string): Promise<Endpoint[]>;
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

export function createCompanyClosureStore(connection: Connection): CompanyClosureStore {
  const closures = connection.model<ClosureRecord>('CompanyClosure', closureSchema);
  const endpoints = endpointCollection(connection);
  return {
    async update({ id, closed_at, version }) {
      const record = { closed: closed_at !== null, version };
      await collectionOf(closures).updateOne({ _id: id }, replaceUnlessNewer(record), { upsert: true });
    },
    async apply(companyId) {
      const company = await closures.findById(companyId).lean<ClosureRecord>();
      if (!company) return [];
      const { closed, version } = company;
      const older = { companyId, ...notDeleted, companyVersion: { $not: { $gte: version } } };
      await endpoints.updateMany(older, [{ $set: { companyVersion: version, ...(closed ? whenClosed : whenOpen) } }]);
      if (!closed) return [];
      const ofCompany = { companyId, ...notDeleted, companyClosed: true };
      return (await endpoints.find(ofCompany).toArray()).map(toEndpoint);
    },
  };
}

const whenClosed = {
  companyClosed: true,
  heldNotice: { $ifNull: ['$notice', '$heldNotice'] },
  notice: '$$REMOVE',
};

/** Counts as a new activation, so that a late cancellation of the closed time does not touch new deliveries. */
const whenOpen = {
  companyClosed: '$$REMOVE',
  enablings: { $cond: ['$companyClosed', { $add: [{ $ifNull: ['$enablings', 0] }, 1] }, '$enablings'] },
  notice: { $ifNull: ['$notice', '$heldNotice'] },
  heldNotice: '$$REMOVE',
};
