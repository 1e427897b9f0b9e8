import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import { documentSchema, replaceUnlessNewer } from '@app/runtime';
import type { Connection } from 'mongoose';

/** A company has no version in the event of its creation, nor in the answer to a lookup. */
type VersionedCompany = CompanySnapshot & { version?: number };
type CompanyDocument = Omit<CompanySnapshot, 'id'> & { _id: string; version?: number };
type UserDocument = Omit<UserSnapshot, 'id'> & { _id: string };

/** Projections of identity's companies and users, from its events and from its answers. */
export type CompanyProjections = ReturnType<typeof createCompanyProjections>;

const companySchema = documentSchema<CompanyDocument>('company_projections');

const userSchema = documentSchema<UserDocument>('user_projections');
userSchema.index({ company_id: 1, _id: 1 }, { name: 'company' });

export function createCompanyProjections({ connection }: { connection: Connection }) {
  const companies = connection.model<CompanyDocument>('CompanyProjection', companySchema);
  const users = connection.model<UserDocument>('UserProjection', userSchema);
  return {
    /** Replaces what is stored unless that is newer. */
    // Named fields only, so that nothing a newer identity service adds is stored unseen.
    async saveCompany({ id, name, kind, siret, siren, version = 0 }: VersionedCompany): Promise<void> {
      const company = { name, kind, siret, siren, version };
      await replaceUnlessNewer(companies, id, company);
    },
    /** Replaces what is stored unless that is newer. */
    async saveUser(snapshot: UserSnapshot): Promise<void> {
      const { id, company_id, first_name, last_name, email, phone, permissions, active, version, place_ids } = snapshot;
      const named = { company_id, first_name, last_name, email, phone, permissions, active, version };
      const user = place_ids ? { ...named, place_ids } : named;
      await replaceUnlessNewer(users, id, user);
    },
    companies: async (ids: string[]): Promise<CompanySnapshot[]> =>
      ids.length === 0 ? [] : (await companies.find({ _id: { $in: ids } }, { version: 0 }).lean()).map(withId),
    users: async (ids: string[]): Promise<UserSnapshot[]> =>
      ids.length === 0 ? [] : (await users.find({ _id: { $in: ids } }).lean()).map(withId),
    /** Active users of a company, ascending by id, after `cursor`. */
    async listUsers(companyId: string, { limit, cursor }: { limit: number; cursor?: string }): Promise<UserSnapshot[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      // With a cursor the planner may take the index of `_id`, and scan every company's users.
      const found = users.find({ company_id: companyId, active: { $ne: false }, ...after }).hint('company');
      return (await found.sort({ _id: 1 }).limit(limit).lean()).map(withId);
    },
  };
}

function withId<T extends { _id: string }>({ _id, ...rest }: T): Omit<T, '_id'> & { id: string } {
  return { id: _id, ...rest };
}
