import { type RestoredDatabase, raiseVersions } from '@app/service/restore';
import { forgetUploads } from '@app/storage';

/** Raises the versions under which purchase documents are published. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { epoch }) {
    await forgetUploads(connection);
    const purchases = await raiseVersions(connection.collection('purchases'), { epoch });
    return [`raised: the versions of ${purchases} purchase documents`];
  },
};
