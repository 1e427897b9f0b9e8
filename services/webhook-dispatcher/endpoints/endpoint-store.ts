import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent, NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { collectionOf, documentSchema, isDuplicateKey, modelOf } from '@app/runtime';
import { type ProtectedWrite, writeAndSaveResult, writeOnce } from '@app/runtime/idempotency';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { type Endpoint, type EndpointPatch, type EndpointWithSecret, maxEndpoints } from './endpoint.ts';

export type Session = ClientSession;

/**
 * Changes by people, each saved with its events. Each resolves once all replicas use it: no later event is sent by an
 * older copy.
 */
export type EndpointStore = ReturnType<typeof createEndpointStore>;

type Change = { at: Date; events: NewEvent[] };

/** How old a copy of a company's endpoints may be when events are sent with it (`SubscriberCache`). */
export const subscribersCachedMs = 100;
const serviceName = 'webhook-dispatcher';
/** Longer than any copy lasts that was read before the change. */
const visibleAfterMs = subscribersCachedMs + 20;

/** `active`: as its company has set it. While the company is closed, the endpoint is inactive all the same. */
export type EndpointRecord = Omit<EndpointWithSecret, 'id'> & {
  _id: string;
  /**
   * True while the company is closed, else absent; as of its version `companyVersion`
   * (`company-closure-store.ts`), which is absent if it was never closed.
   */
  companyClosed?: boolean;
  companyVersion?: number;
  /**
   * 0 to 9 until the endpoint is deleted: a unique index on it enforces the limit of a company,
   * also for concurrent creates.
   */
  slot?: number;
  deletedAt?: Date;
} & WithOutbox;
type EndpointCollection = mongo.Collection<EndpointRecord>;

const endpointSchema = documentSchema<EndpointRecord>('endpoints');
endpointSchema.index(
  { companyId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } }, name: 'companySlot' },
);

addOutbox(endpointSchema);

export const notDeleted = { slot: { $gte: 0 } };
/**
 * Ends the health issue: after a change by hand, whose author knows of it, and after a success, when there is nothing left to report.
 */
export const clearHealth = { $unset: { healthIssue: 1 as const } };
/** Each lost race means that another create took a slot, so few are ever needed. */
const maxRaces = 10 * maxEndpoints;
/** More than the companies of one lookup have together, so that all endpoints come in one batch. */
const endpointsPerPage = 5_000;

/** By the driver: endpoints are read for every event, and written with the outcomes of deliveries. The model declares the indexes. */
export function endpointCollection(connection: Connection): EndpointCollection {
  return collectionOf(endpointModel(connection));
}

function endpointModel(connection: Connection) {
  return modelOf(connection, 'Endpoint', endpointSchema);
}

type EndpointRelay = Pick<Relay, 'watch' | 'committed'>;

export function createEndpointStore(connection: Connection, relay: EndpointRelay) {
  const collection = endpointCollection(connection);
  const model = endpointModel(connection);
  relay.watch(model);
  const committed = (id: string, outbox: DomainEvent[]) => relay.committed(model, id, outbox);

  return {
    /**
     * @returns what was saved, by an earlier attempt at this request or now
     * @throws AppError conflict `webhook_endpoint_limit`
     */
    async add(
      endpoint: EndpointWithSecret,
      events: NewEvent[],
      write: ProtectedWrite | null,
    ): Promise<EndpointWithSecret> {
      let outbox: DomainEvent[] = [];
      const { id, ...fields } = endpoint;
      const added = await writeOnce<EndpointWithSecret>(write, (saveResult) =>
        insertInFreeSlot(collection, endpoint.companyId, (slot) =>
          writeAndSaveResult(connection, saveResult, async (within) => {
            outbox = toCloudEvents(serviceName, events);
            await collection.insertOne({ _id: id, ...fields, slot, outbox }, within);
            return endpoint;
          }),
        ),
      );
      committed(added.id, outbox);
      await delay(visibleAfterMs);
      return added;
    },
    async list(companyId: string): Promise<Endpoint[]> {
      const records = await collection
        .find({ companyId, ...notDeleted })
        .sort({ slot: 1 })
        .toArray();
      return records.map(toEndpoint).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
    /** Null if the company has no such endpoint, or has deleted it. */
    async find(companyId: string, id: string): Promise<EndpointWithSecret | null> {
      return toEndpointOrNull(await collection.findOne({ _id: id, companyId, ...notDeleted }));
    },
    /** `active: true` after a disabling also resets the counter and the reason. Null if the endpoint was deleted. */
    async update(endpoint: Endpoint, patch: EndpointPatch, { at, events }: Change): Promise<Endpoint | null> {
      const outbox = toCloudEvents(serviceName, events);
      const updated = await updateOne(collection, endpoint, { patch, at, outbox });
      if (updated) committed(endpoint.id, outbox);
      await delay(visibleAfterMs);
      return toEndpointOrNull(updated);
    },
    async remove({ id, companyId }: Endpoint, { at, events }: Change): Promise<void> {
      const outbox = toCloudEvents(serviceName, events);
      const deletion = { $set: { active: false, deletedAt: at, updatedAt: at }, ...erased };
      const existing = { _id: id, companyId, ...notDeleted };
      const { modifiedCount } = await collection.updateOne(existing, {
        ...deletion,
        $push: { outbox: { $each: outbox } },
      });
      if (modifiedCount === 1) committed(id, outbox);
      await delay(visibleAfterMs);
    },
    /** All endpoints of these companies, active or not. */
    async listOfCompanies(companyIds: string[]): Promise<EndpointWithSecret[]> {
      const filter = { companyId: { $in: companyIds }, ...notDeleted };
      const found = await collection.find(filter, { batchSize: endpointsPerPage }).toArray();
      return found.map(toEndpoint);
    },
  };
}

const erased = {
  $unset: { slot: 1, sealedSecret: 1, customHeaders: 1, healthIssue: 1 },
} as const;

type Update = { patch: EndpointPatch; at: Date; outbox: DomainEvent[] };

async function updateOne(
  collection: EndpointCollection,
  { id, companyId, url }: Endpoint,
  { patch, at, outbox }: Update,
): Promise<EndpointRecord | null> {
  const published = { $push: { outbox: { $each: outbox } } };
  // Headers are secrets for the receiver that they were entered for, and for none that the URL leads to meanwhile.
  const forUrl = patch.customHeaders && patch.url === undefined ? { url } : {};
  const filter = { _id: id, companyId, ...notDeleted, ...forUrl };
  const changed = { ...patch, updatedAt: at };
  const reset = { ...changed, consecutiveFailures: 0, disabledReason: null };
  const activation = { $set: reset, $inc: { enablings: 1 }, ...clearHealth, ...published };
  const change = { $set: changed, ...published, ...(patch.active === false ? clearHealth : {}) };
  const options = { returnDocument: 'after' as const };
  const activated =
    patch.active === true ? await collection.findOneAndUpdate({ ...filter, active: false }, activation, options) : null;
  return activated ?? collection.findOneAndUpdate(filter, change, options);
}

async function insertInFreeSlot<T>(
  collection: EndpointCollection,
  companyId: string,
  insert: (slot: number) => Promise<T>,
): Promise<T> {
  for (let race = 0; race < maxRaces; race++) {
    const slot = await findFreeSlot(collection, companyId);
    try {
      return await insert(slot);
    } catch (error) {
      if (!isDuplicateKey(error, 'companySlot')) throw error;
    }
  }
  throw new AppError('overloaded', 'overloaded', 'too many endpoints are being created at once');
}

async function findFreeSlot(collection: EndpointCollection, companyId: string): Promise<number> {
  const taken = await collection.find({ companyId, ...notDeleted }, { projection: { slot: 1, _id: 0 } }).toArray();
  const slots = new Set(taken.map(({ slot }) => slot));
  const free = [...Array(maxEndpoints).keys()].find((slot) => !slots.has(slot));
  if (free !== undefined) return free;
  const message = `a company has at most ${maxEndpoints} webhook endpoints; delete one first`;
  throw new AppError('conflict', 'webhook_endpoint_limit', message);
}

export function toEndpoint({
  _id,
  slot: _slot,
  deletedAt: _deletedAt,
  companyVersion: _companyVersion,
  outbox: _outbox,
  companyClosed = false,
  active,
  ...endpoint
}: EndpointRecord): EndpointWithSecret {
  return { id: _id, ...endpoint, active: active && !companyClosed };
}

function toEndpointOrNull(record: EndpointRecord | null): EndpointWithSecret | null {
  return record && toEndpoint(record);
}
