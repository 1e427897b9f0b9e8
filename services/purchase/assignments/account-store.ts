import { documentSchema } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Accounts } from './assignment.ts';

/** The account of a contractor that had none when it was assigned, and the client in whose directory it stands. */
export type Account = { clientId: string; contractorId: string; companyId: string };
export type DueAccount = Account & { checkAt: Date };

export type AccountStore = ReturnType<typeof createAccountStore>;

type Stored = { _id: string; client_id: string; company_id: string; check_at?: Date };

const schema = documentSchema<Stored>('contractor_accounts');
schema.index({ check_at: 1 }, { name: 'check', sparse: true });

/** One document for each contractor that got its account later. */
export function createAccountStore({ connection }: { connection: Connection }) {
  const accounts = connection.model<Stored>('ContractorAccount', schema);
  return {
    /** Saves it. The contractor's documents are to be checked again at `checkAt`. */
    async save({ clientId, contractorId, companyId }: Account, checkAt: Date): Promise<void> {
      const set = { client_id: clientId, company_id: companyId, check_at: checkAt };
      await accounts.updateOne({ _id: contractorId }, { $set: set }, { upsert: true });
    },
    /** The accounts of these contractors. */
    async byContractors(contractorIds: string[]): Promise<Accounts> {
      if (contractorIds.length === 0) return new Map();
      const found = await accounts.find({ _id: { $in: contractorIds } }).lean();
      return new Map(found.map(({ _id, company_id }) => [_id, company_id]));
    },
    /** Accounts that are due to be checked again, the oldest first. */
    async due(now: Date, limit: number): Promise<DueAccount[]> {
      const found = accounts.find({ check_at: { $lte: now } }).sort({ check_at: 1 });
      return (await found.limit(limit).lean()).map(({ _id, client_id, company_id, check_at }) => ({
        contractorId: _id,
        clientId: client_id,
        companyId: company_id,
        checkAt: check_at as Date,
      }));
    },
    async checked({ contractorId, checkAt }: DueAccount): Promise<void> {
      await accounts.updateOne({ _id: contractorId, check_at: checkAt }, { $unset: { check_at: true } });
    },
  };
}
