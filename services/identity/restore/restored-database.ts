import type { RestoredDatabase } from '@app/restore';

/** Companies and users never change, so they have no versions. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection) {
    // A session that was ended in the lost time would be valid again.
    const { deletedCount } = await connection.collection('sessions').deleteMany({});
    const tokens = await connection.collection('api_tokens').estimatedDocumentCount();
    return [
      `ended: ${deletedCount} sessions; everybody logs in again`,
      `to be checked: ${tokens} API tokens. One that was deleted after the backup is valid again: delete it again`,
    ];
  },
};
