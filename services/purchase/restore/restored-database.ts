import { type RestoredDatabase, raiseVersions } from '@app/restore';

/** Purchase documents are told under versions. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { epoch }) {
    const purchases = await raiseVersions(connection.collection('purchases'), { epoch });
    return [`raised: the versions of ${purchases} purchase documents`];
  },
};
