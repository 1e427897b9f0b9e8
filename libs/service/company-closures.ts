import type { CompanyState } from '@app/contracts';
import { documentSchema, replaceUnlessNewer } from '@app/runtime';
import type { Connection } from 'mongoose';

/** Which companies are closed, by identity's events: `version` is the one of the company at which it was closed or opened. */
export type CompanyClosures = ReturnType<typeof createCompanyClosures>;

type ClosureRecord = { _id: string; closed: boolean; version: number };

const schema = documentSchema<ClosureRecord>('company_closures');

/** Declares the collection `company_closures` in the database of the service. */
export function createCompanyClosures(connection: Connection) {
  const closures = connection.model<ClosureRecord>('CompanyClosure', schema);
  return {
    /** Stores the state of a company, unless a newer one is stored. */
    async update({ id, closed_at, version }: Pick<CompanyState, 'id' | 'closed_at' | 'version'>): Promise<void> {
      await replaceUnlessNewer(closures, id, { closed: closed_at !== null, version });
    },
    /** Null if the company was never closed. */
    find: (companyId: string): Promise<{ closed: boolean; version: number } | null> =>
      closures.findById(companyId).lean<ClosureRecord>(),
  };
}
