import type { RestoredDatabase } from '@app/service/restore';

/**
 * There are no versions to raise: fetches are ordered by the clock of the database, which a restore
 * does not set back.
 */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection) {
    const jobs = connection.collection('jobs');
    // What was being fetched may have been published since, and its files are then those of an invoice.
    await jobs.updateMany({ kind: 'fetch' }, { $unset: { lease: '', abandonedLeases: '' } });
    // An outcome may have been sent since, and another one after it. Reconciliation asks again for those without a result.
    const outcomes = await jobs.deleteMany({ kind: 'feedback', dueAt: { $exists: true } });
    const count = await connection.collection('connections').estimatedDocumentCount();
    return [
      `dropped: ${outcomes.deletedCount} outcomes that were to be sent; reconciliation asks again for those without a result`,
      `to be checked: ${count} connections are as they were; those created after the backup are gone, those deleted are back`,
    ];
  },
};
