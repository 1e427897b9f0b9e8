import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose';

type CompanyCopy = Omit<CompanySnapshot, 'id'> & { _id: string };
type UserCopy = Omit<UserSnapshot, 'id'> & { _id: string };

/** Copies of identity's companies and users, kept from its events and from what was asked of it. */
export type CompanyProjections = {
  /** Repeating it changes nothing. */
  saveCompany(company: CompanySnapshot, session?: ClientSession | null): Promise<void>;
  saveUser(user: UserSnapshot, session?: ClientSession | null): Promise<void>;
  companies(ids: string[]): Promise<CompanySnapshot[]>;
  users(ids: string[]): Promise<UserSnapshot[]>;
  /** Users of a company, ascending by id, from after `cursor` on. */
  listUsers(companyId: string, page: { limit: number; cursor?: string }): Promise<UserSnapshot[]>;
};

const text = { type: String, default: null };

const companySchema = new Schema<CompanyCopy>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, required: true },
    siret: text,
    siren: text,
  },
  { versionKey: false, collection: 'company_copies' },
);

const userSchema = new Schema<UserCopy>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    first_name: text,
    last_name: text,
    email: text,
    phone: text,
    permissions: { type: [String], default: [] },
  },
  { versionKey: false, collection: 'user_copies' },
);
userSchema.index({ company_id: 1, _id: 1 }, { name: 'company' });

export function createCompanyProjections({ connection }: { connection: Connection }): CompanyProjections {
  const companies = connection.model<CompanyCopy>('CompanyCopy', companySchema);
  const users = connection.model<UserCopy>('UserCopy', userSchema);
  return {
    saveCompany: ({ id, name, kind, siret, siren }, session) =>
      upsert(companies, { _id: id, name, kind, siret, siren }, session),
    saveUser: ({ id, company_id, first_name, last_name, email, phone, permissions }, session) =>
      upsert(users, { _id: id, company_id, first_name, last_name, email, phone, permissions }, session),
    async companies(ids) {
      if (ids.length === 0) return [];
      return (await companies.find({ _id: { $in: ids } }).lean<CompanyCopy[]>()).map(withId);
    },
    async users(ids) {
      if (ids.length === 0) return [];
      return (await users.find({ _id: { $in: ids } }).lean<UserCopy[]>()).map(withId);
    },
    async listUsers(companyId, { limit, cursor }) {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      // Hinted: beside a cursor the planner may take the index of `_id` and read through everybody's.
      const found = users
        .find({ company_id: companyId, ...after })
        .sort({ _id: 1 })
        .hint('company');
      return (await found.limit(limit).lean<UserCopy[]>()).map(withId);
    },
  };
}

/** Named fields only, so that what a newer identity adds to its messages never lands here unseen. */
async function upsert<T extends { _id: string }>(model: Model<T>, copy: T, session?: ClientSession | null) {
  await model.collection.replaceOne({ _id: copy._id } as never, copy as never, {
    upsert: true,
    ...(session ? { session } : {}),
  });
}

function withId<T extends { _id: string }>({ _id, ...rest }: T): Omit<T, '_id'> & { id: string } {
  return { id: _id, ...rest };
}
