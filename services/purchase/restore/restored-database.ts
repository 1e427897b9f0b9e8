import { type RestoredDatabase, raiseVersions } from '@app/restore';

/** Raises the versions under which purchase documents are published. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { epoch }) {
    const purchases = await raiseVersions(connection.collection('purchases'), { epoch });
    return [`raised: the versions of ${purchases} purchase documents`];
  },
};
