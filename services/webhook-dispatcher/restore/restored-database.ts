import type { RestoredDatabase } from '@app/service/restore';

/** There are no versions to raise: no other service keeps data of this one. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { since }) {
    const endpoints = await connection.collection('endpoints').estimatedDocumentCount();
    return [
      `to be checked: ${endpoints} endpoints are as they were; those created after the backup are gone`,
      `lost: what was still to be delivered of the events between the backup and now, of after ${since}`,
    ];
  },
};
