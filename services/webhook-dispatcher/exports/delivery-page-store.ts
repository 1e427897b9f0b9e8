import type { TimePosition } from '@app/kernel';
import type { Connection } from 'mongoose';
import type { Delivery } from '../deliveries/delivery.ts';
import { logFilter, newestFirst } from '../deliveries/delivery-log-store.ts';
import { deliveryCollection, toDelivery } from '../deliveries/delivery-store.ts';

/** Deliveries of an endpoint with their bodies, the newest first. */
export type DeliveryPages = (endpointId: string, after: TimePosition | null, limit: number) => Promise<Delivery[]>;

export function createDeliveryPages(connection: Connection): DeliveryPages {
  const deliveries = deliveryCollection(connection);
  return async (endpointId, after, limit) => {
    const found = deliveries.find(logFilter(endpointId, { after }), { hint: 'log' }).sort(newestFirst);
    return (await found.limit(limit).toArray()).map(toDelivery);
  };
}
