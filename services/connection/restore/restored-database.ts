import type { RestoredDatabase } from '@app/restore';

/** What it fetches is ordered by the clock of the database, which does not fall back with the data. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection) {
    const count = await connection.collection('connections').estimatedDocumentCount();
    return [
      `to be checked: ${count} connections are as they were; those created after the backup are gone, those deleted are back`,
    ];
  },
};
