import { findManyRaw } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Accounts } from './assignment.ts';

/** The account that a contractor was given which had none, and the client in whose directory it stands. */
export type Account = { clientId: string; contractorId: string; companyId: string };
export type DueAccount = Account & { checkAt: Date };

export type AccountStore = {
  /** Keeps it, once and for all. Its documents are to be looked at again at `checkAt`. */
  save(account: Account, checkAt: Date): Promise<void>;
  /** Those of the contractors. */
  byContractors(contractorIds: string[]): Promise<Accounts>;
  /** Those that are due to be looked at again, the oldest first. */
  due(now: Date, limit: number): Promise<DueAccount[]>;
  /** It was looked at. */
  checked(account: DueAccount): Promise<void>;
};

type Stored = { _id: string; client_id: string; company_id: string; check_at?: Date };

const schema = new Schema<Stored>(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'contractor_accounts', strict: false },
);
schema.index({ check_at: 1 }, { name: 'check', sparse: true });

/** One document per contractor that was given its account later. */
export function createAccountStore({ connection }: { connection: Connection }): AccountStore {
  const accounts = connection.model<Stored>('ContractorAccount', schema).collection;
  return {
    async save({ clientId, contractorId, companyId }, checkAt) {
      const set = { client_id: clientId, company_id: companyId, check_at: checkAt };
      await accounts.updateOne({ _id: contractorId } as never, { $set: set }, { upsert: true });
    },
    async byContractors(contractorIds) {
      if (contractorIds.length === 0) return new Map();
      const found = await findManyRaw<Stored>(accounts, { filter: { _id: { $in: contractorIds } } });
      return new Map(found.map(({ _id, company_id }) => [_id, company_id]));
    },
    async due(now, limit) {
      const found = accounts.find({ check_at: { $lte: now } } as never).sort({ check_at: 1 });
      const all = (await found.limit(limit).toArray()) as unknown as Required<Stored>[];
      return all.map((one) => ({
        ...{ contractorId: one._id, clientId: one.client_id, companyId: one.company_id },
        checkAt: one.check_at,
      }));
    },
    async checked({ contractorId, checkAt }) {
      const filter = { _id: contractorId, check_at: checkAt };
      await accounts.updateOne(filter as never, { $unset: { check_at: true } } as never);
    },
  };
}
