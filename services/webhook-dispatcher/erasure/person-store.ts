import { publicName, ticketMessageAdded } from '@app/contracts';
import { pageById } from '@app/runtime';
import type { ErasePage } from '@app/service/erasure';
import type { Connection, mongo } from 'mongoose';
import { deliveryStatuses } from '../deliveries/delivery.ts';
import { type DeliveryCollection, type DeliveryRecord, deliveryCollection } from '../deliveries/delivery-store.ts';
import { bodyNaming, bodyWithoutName } from './message-author.ts';

type Named = Pick<DeliveryRecord, '_id' | 'body'>;

const batchSize = 100;

/**
 * Erases a person here: names are in the bodies of message webhooks, which are kept for 90 days. A page is one endpoint. By the driver: it goes through whole collections.
 */
export function eraseFromDeliveries(connection: Connection): ErasePage {
  const endpoints = connection.collection<{ _id: string }>('endpoints');
  const deliveries = deliveryCollection(connection);
  return async (user, after, signal) => {
    // Deleted endpoints too: their log is kept.
    const { found, next } = await pageById(endpoints, after, { projection: { _id: 1 }, limit: 1 });
    for (const { _id } of found) await eraseFromLog(deliveries, { endpointId: _id, userId: user.id, signal });
    return next;
  };
}

type Log = { endpointId: string; userId: string; signal: AbortSignal };

async function eraseFromLog(deliveries: DeliveryCollection, { endpointId, userId, signal }: Log): Promise<void> {
  const messages = { endpointId, status: { $in: [...deliveryStatuses] }, event: publicName(ticketMessageAdded.type) };
  const found = deliveries.find<Named>(
    { ...messages, body: bodyNaming(userId) },
    { projection: { body: 1 }, hint: 'log', batchSize },
  );
  let changes: mongo.AnyBulkWriteOperation<DeliveryRecord>[] = [];
  for await (const { _id, body } of found) {
    signal.throwIfAborted();
    changes.push({ updateOne: { filter: { _id }, update: { $set: { body: bodyWithoutName(body) } } } });
    if (changes.length < batchSize) continue;
    await deliveries.bulkWrite(changes, { ordered: false });
    changes = [];
  }
  if (changes.length > 0) await deliveries.bulkWrite(changes, { ordered: false });
}
