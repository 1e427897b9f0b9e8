import { createCompanyList, createListReader, type CompanyList } from '@app/runtime';
import type { Connection } from 'mongoose';
import { deliveryList } from '../deliveries/delivery-list.ts';
import { type DeliveryRecord, deliveryCollection } from '../deliveries/delivery-store.ts';

/** Deliveries of an endpoint with their bodies. */
export type DeliveryPages = CompanyList<DeliveryRecord>;

export function createDeliveryPages(connection: Connection): DeliveryPages {
  return createCompanyList(deliveryList, createListReader(deliveryCollection(connection), {}));
}
