import { type RestoredDatabase, raiseVersions } from '@app/service/restore';
import { recount } from '@app/service/statistics';
import { invoiceStatisticsSource } from '../statistics/invoice-statistics-store.ts';

/**
 * Raises the versions under which invoices, their lines and requests for feedback are published. An
 * invoice without line or feedback is included, since it may have got one after the backup.
 */
export const restoredDatabase: RestoredDatabase = {
  async raise(connection, { epoch }) {
    const fields = ['version', 'line_version', 'link_version'];
    // Without tombstones, which have no version.
    const filter = { version: { $gte: 0 } };
    const invoices = await raiseVersions(connection.collection('invoices'), { epoch, fields, filter });
    const counted = await recount(connection, invoiceStatisticsSource(connection));
    return [
      `raised: the versions of ${invoices} invoices, of their lines and of their feedback`,
      `figures: ${counted} invoices are counted again`,
    ];
  },
};
