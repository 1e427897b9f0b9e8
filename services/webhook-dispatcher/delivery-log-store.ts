import type { Connection } from 'mongoose';
import { type Attempt, type Delivery, type DeliveryStatus, deliveryStatuses, testEvent } from './delivery.ts';
import { deliveriesOf, logOf, toDelivery } from './delivery-store.ts';
import { type Endpoint, subscribableEvents } from './endpoint.ts';

export type LogFilter = { limit: number; status?: DeliveryStatus; event?: string };
export type LoneAttempt = { id: string; attempt: Attempt };
export type LoggedDelivery = Omit<Delivery, 'body'>;

/** The log of deliveries as its readers use it. */
export type DeliveryLogStore = {
  /** The newest first, without their bodies. */
  list(endpointId: string, filter: LogFilter): Promise<LoggedDelivery[]>;
  find(endpointId: string, id: string): Promise<Delivery | null>;
  /** Has a delivery that is over, or waits for its retry, begin anew; one that is being attempted is left alone. */
  redeliver(endpoint: Endpoint, id: string, at: Date): Promise<void>;
  /** Has all exhausted and canceled events since then begin anew, and gives their number. */
  recover(endpoint: Endpoint, since: Date, at: Date): Promise<number>;
  /** Adds attempts that change nothing of what becomes of their deliveries. */
  keep(sent: LoneAttempt[]): Promise<void>;
};

const loggedEvents = [...subscribableEvents, testEvent];
const over: DeliveryStatus[] = ['succeeded', 'exhausted', 'canceled'];

export function createDeliveryLogStore(connection: Connection): DeliveryLogStore {
  const collection = deliveriesOf(connection);

  return {
    async list(endpointId, { limit, status, event }) {
      const filter = {
        endpointId,
        status: status ?? { $in: [...deliveryStatuses] },
        event: event ?? { $in: loggedEvents },
      };
      const sorted = collection.find(filter, { projection: { body: 0 } }).sort({ createdAt: -1, _id: -1 });
      return (await sorted.limit(limit).toArray()).map(toDelivery);
    },
    async find(endpointId, id) {
      const found = await collection.findOne({ _id: id, endpointId });
      return found && toDelivery(found);
    },
    async redeliver(endpoint, id, at) {
      const waiting = { status: 'failed' as const, lease: { $exists: false } };
      const mine = { _id: id, endpointId: endpoint.id, $or: [{ status: { $in: over } }, waiting] };
      await collection.updateOne(mine, beginAnew(endpoint, at));
    },
    async recover(endpoint, since, at) {
      const filter = {
        endpointId: endpoint.id,
        status: { $in: ['exhausted', 'canceled'] as DeliveryStatus[] },
        event: { $in: [...subscribableEvents] },
        createdAt: { $gte: since },
      };
      const { modifiedCount } = await collection.updateMany(filter, beginAnew(endpoint, at));
      return modifiedCount;
    },
    async keep(sent) {
      const updates = sent.map(({ id, attempt }) => {
        const { $push } = logOf(attempt);
        return { updateOne: { filter: { _id: id }, update: { $push } } };
      });
      await collection.bulkWrite(updates, { ordered: false });
    },
  };
}

/** The whole schedule again, the first attempt at once. */
function beginAnew({ enablings }: Endpoint, at: Date) {
  const enabling = enablings === undefined ? {} : { enabling: enablings };
  return {
    $set: { status: 'pending' as const, tries: 0, nextAttemptAt: at, dueAt: at, begunAnewAt: at, ...enabling },
    $unset: { lease: 1 as const },
  };
}
