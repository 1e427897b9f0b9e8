import { type RestoredDatabase, raiseVersions } from '@app/service/restore';

/** Events of companies and users have versions, which are raised. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { epoch }) {
    const companies = await raiseVersions(connection.collection('companies'), { epoch });
    const users = await raiseVersions(connection.collection('users'), { epoch });
    // A session that ended after the backup would be valid again, and so would a link that was
    // used, and the address of an agenda.
    const { deletedCount } = await connection.collection('sessions').deleteMany({});
    await connection.collection('password_links').deleteMany({});
    await connection.collection('agenda_feeds').deleteMany({});
    // What was sent after the backup would be sent again; it stays in the lists of the users.
    await connection.collection('notifications').updateMany({ mail: { $ne: null } }, { $set: { mail: null } });
    const tokens = await connection.collection('api_tokens').estimatedDocumentCount();
    return [
      `raised: the versions of ${users} users. One who was deactivated after the backup is active again: deactivate them again; who was erased is erased again`,
      `raised: the versions of ${companies} companies. One that was closed after the backup is open again: close it again`,
      `ended: ${deletedCount} sessions, all password links and all addresses of agendas; everybody logs in again, and makes a new address for their calendar`,
      `to be checked: ${tokens} API tokens. One that was deleted after the backup is valid again: delete it again`,
    ];
  },
};
