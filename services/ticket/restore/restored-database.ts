import type { Restore } from '@app/contracts';
import { type RestoredDatabase, raiseVersions } from '@app/restore';

type Database = Parameters<RestoredDatabase['raise']>[0];

/** More than a client creates at once. */
const burst = 1_000;

/** Tickets, contractors and locations are told under versions. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, restore) {
    const { epoch } = restore;
    const tickets = await raiseVersions(connection.collection('tickets'), { epoch });
    const contractors = await raiseVersions(connection.collection('contractors'), { epoch });
    const locations = await raiseVersions(connection.collection('referentials'), {
      epoch,
      filter: { kind: 'location' },
    });
    return [
      `raised: the versions of ${tickets} tickets, ${contractors} contractors and ${locations} locations`,
      await skipNumbers(connection, restore),
    ];
  },
};

/**
 * Numbers of the lost time stand on orders and invoices: given to other tickets, they would lead there. How many they were is not
 * known. In the long run a client creates less than one ticket a second, so that also what was given out between two restores of
 * the same backup is skipped.
 */
async function skipNumbers(connection: Database, { epoch, since }: Restore): Promise<string> {
  const skipped = burst + Math.ceil((epoch - Date.parse(since)) / 1_000);
  const { modifiedCount } = await connection.collection('ticket_numbers').updateMany({}, { $inc: { last: skipped } });
  return `skipped: ${skipped} ticket numbers of each of ${modifiedCount} clients`;
}
