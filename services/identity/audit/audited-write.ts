import { type ProtectedWrite, transactionOnce, type Within } from '@app/runtime/idempotency';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditLogStore } from './audit-log-store.ts';

export type AuditedWriteDeps = {
  auditLog: Pick<AuditLogStore, 'add'>;
  /** Runs work in a transaction of the database that the stores are in. */
  transaction: <T>(work: (session: NonNullable<Within['session']>) => Promise<T>) => Promise<T>;
};

/** Runs `perform` and adds its audit entries in one transaction. `write`: of the request; null if it takes no Idempotency-Key. */
export function auditedWrite<T>(
  { auditLog, transaction }: AuditedWriteDeps,
  write: ProtectedWrite | null,
  perform: (within: Required<Within>) => Promise<{ result: T; entries: AuditEntry[] }>,
): Promise<T> {
  return transactionOnce(write, { transaction }, async (session) => {
    const { result, entries } = await perform({ session });
    await auditLog.add(entries, { session });
    return result;
  });
}
