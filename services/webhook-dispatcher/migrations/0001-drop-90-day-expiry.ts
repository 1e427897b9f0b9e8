import type { Migration } from '@app/migrations';
import { deliveryCollection } from '../deliveries/delivery-store.ts';

const formerIndex = 'kept90Days';
/** MongoDB's codes for a missing collection and a missing index. */
const absent = [26, 27];

/** Drops the index of early versions by which a delivery expired 90 days after its creation even if it still waited. */
export const drop90DayExpiry: Migration = {
  id: '0001-drop-90-day-expiry',
  async up({ connection }) {
    await deliveryCollection(connection)
      .dropIndex(formerIndex)
      .catch((error) => {
        if (!absent.includes(error.code)) throw error;
      });
  },
};
