import type { Restore } from '@app/contracts';
import { type RestoredDatabase, raiseVersions } from '@app/service/restore';
import { recount } from '@app/service/statistics';
import { forgetUploads } from '@app/storage';
import { ticketStatisticsSource } from '../statistics/ticket-statistics-store.ts';

type Database = Parameters<RestoredDatabase['raise']>[0];

/** More than a client creates at once. */
const burst = 1_000;

/** Raises the versions under which tickets, contractors and locations are published, and those that only `ETag` tells. */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, restore) {
    const { epoch } = restore;
    await forgetUploads(connection);
    const tickets = await raiseVersions(connection.collection('tickets'), { epoch });
    const contractors = await raiseVersions(connection.collection('contractors'), { epoch });
    const referentials = await raiseVersions(connection.collection('referentials'), { epoch });
    await raiseVersions(connection.collection('clock_settings'), { epoch });
    return [
      `raised: the versions of ${tickets} tickets, ${contractors} contractors and ${referentials} referentials`,
      await skipNumbers(connection, restore),
      `figures: ${await recount(connection, ticketStatisticsSource(connection))} tickets are counted again`,
    ];
  },
};

/**
 * Ticket numbers given out after the backup are printed on orders and invoices. Skips them, so that
 * no new ticket gets one. How many they were is lost: at most one ticket a second is assumed. That
 * also covers numbers that were given out between two restores of the same backup.
 */
async function skipNumbers(connection: Database, { epoch, since }: Restore): Promise<string> {
  const skipped = burst + Math.ceil((epoch - Date.parse(since)) / 1_000);
  const { modifiedCount } = await connection.collection('ticket_numbers').updateMany({}, { $inc: { last: skipped } });
  return `skipped: ${skipped} ticket numbers of each of ${modifiedCount} clients`;
}
