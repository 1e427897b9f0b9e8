import { AppError } from '@app/kernel';
import { isDuplicateKey, majorityRead } from '@app/runtime';
import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { type Endpoint, type EndpointPatch, type EndpointWithSecret, maxEndpoints } from './endpoint.ts';
import type { Alert, HealthIssue } from './endpoint-health.ts';

export type Session = ClientSession;

export type EndpointStore = {
  /** @throws AppError conflict `webhook_endpoint_limit` */
  add(endpoint: EndpointWithSecret): Promise<void>;
  list(companyId: string): Promise<Endpoint[]>;
  /** Null if the company has no such endpoint, or has deleted it. */
  find(companyId: string, id: string): Promise<EndpointWithSecret | null>;
  /** `active: true` after a disabling also resets the counter and the reason. Null if the endpoint was deleted. */
  update(endpoint: Endpoint, patch: EndpointPatch, at: Date): Promise<Endpoint | null>;
  remove(endpoint: Endpoint, at: Date): Promise<void>;
  /** For each query the endpoints that subscribe to the event, active or not. One read for all queries. */
  findSubscribers(queries: SubscriberQuery[]): Promise<EndpointWithSecret[][]>;
};

/** The companies that may receive an event, and its public name. */
export type SubscriberQuery = { companyIds: string[]; event: string };

export type EndpointRecord = Omit<EndpointWithSecret, 'id' | 'healthIssue'> & {
  _id: string;
  /** 0 to 9 until the endpoint is deleted: the unique index on it holds a company to its limit under parallel creates. */
  slot?: number;
  deletedAt?: Date;
  /** Stored under the names of earlier versions: `trouble` is the health issue, `notice` the alert that is due. */
  trouble?: HealthIssue;
  notice?: Alert;
};
export type EndpointCollection = mongo.Collection<EndpointRecord>;

const healthIssueSchema = new Schema<HealthIssue>(
  { status: String, since: Date, error: String, statusCode: Number },
  { _id: false },
);
const alertSchema = new Schema<Alert>({ id: String, at: Date, dueAt: Date, tries: Number }, { _id: false });

const endpointSchema = new Schema<EndpointRecord>(
  {
    _id: { type: String, required: true },
    companyId: { type: String, required: true },
    name: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    active: { type: Boolean, required: true },
    consecutiveFailures: { type: Number, required: true },
    disabledReason: { type: String, default: null },
    trouble: { type: healthIssueSchema },
    enablings: { type: Number },
    notice: { type: alertSchema },
    sealedSecret: { type: String },
    slot: { type: Number },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date },
  },
  { versionKey: false, collection: 'endpoints' },
);
endpointSchema.index(
  { companyId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } }, name: 'companySlot' },
);
endpointSchema.index(
  { 'notice.dueAt': 1 },
  { partialFilterExpression: { 'notice.dueAt': { $exists: true } }, name: 'noticeDue' },
);

export const notDeleted = { slot: { $gte: 0 } };
/**
 * Ends the health issue and drops its alert if that was not sent yet: after a change by hand, whose author knows of it, and after
 * a success, when there is nothing left to report.
 */
export const clearHealth = { $unset: { trouble: 1 as const, notice: 1 as const } };
/** Each lost race means that another create took a slot, so few are ever needed. */
const maxRaces = 10 * maxEndpoints;
/** More than the subscribers of any events that are looked up together: they come in one answer. */
const subscribersPerPage = 5_000;

/** The collection. Its model is registered, so that its indexes are created at the start. */
export function endpointCollection(connection: Connection): EndpointCollection {
  const { collection } = connection.models['Endpoint'] ?? connection.model('Endpoint', endpointSchema);
  return connection.collection<EndpointRecord>(collection.collectionName) as unknown as EndpointCollection;
}

export function createEndpointStore(connection: Connection): EndpointStore {
  const collection = endpointCollection(connection);

  return {
    add: (endpoint) => insertInFreeSlot(collection, endpoint),
    async list(companyId) {
      const records = await collection
        .find({ companyId, ...notDeleted })
        .sort({ slot: 1 })
        .toArray();
      return records.map(toEndpoint).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
    async find(companyId, id) {
      return toEndpointOrNull(await collection.findOne({ _id: id, companyId, ...notDeleted }));
    },
    async update({ id, companyId }, patch, at) {
      const filter = { _id: id, companyId, ...notDeleted };
      const changed = { ...patch, updatedAt: at };
      const reset = { ...changed, consecutiveFailures: 0, disabledReason: null };
      const activation = { $set: reset, $inc: { enablings: 1 }, ...clearHealth };
      const change = { $set: changed, ...(patch.active === false ? clearHealth : {}) };
      const options = { returnDocument: 'after' as const };
      const activated =
        patch.active === true
          ? await collection.findOneAndUpdate({ ...filter, active: false }, activation, options)
          : null;
      return toEndpointOrNull(activated ?? (await collection.findOneAndUpdate(filter, change, options)));
    },
    async remove({ id, companyId }, at) {
      await collection.updateOne(
        { _id: id, companyId },
        {
          $set: { active: false, deletedAt: at, updatedAt: at },
          $unset: { slot: 1, sealedSecret: 1, trouble: 1, notice: 1 },
        },
      );
    },
    async findSubscribers(queries) {
      const filter = {
        companyId: { $in: [...new Set(queries.flatMap(({ companyIds }) => companyIds))] },
        events: { $in: [...new Set(queries.map(({ event }) => event))] },
        ...notDeleted,
      };
      // An event without subscribers is acknowledged: a read that an election takes back would lose it.
      const found = await collection.find(filter, { ...majorityRead, batchSize: subscribersPerPage }).toArray();
      const byCompany = Map.groupBy(found.map(toEndpoint), ({ companyId }) => companyId);
      return queries.map(({ companyIds, event }) =>
        companyIds.flatMap((id) => byCompany.get(id)?.filter(({ events }) => events.includes(event)) ?? []),
      );
    },
  };
}

async function insertInFreeSlot(collection: EndpointCollection, added: EndpointWithSecret): Promise<void> {
  const { id, healthIssue: _none, ...endpoint } = added;
  for (let race = 0; race < maxRaces; race++) {
    const slot = await findFreeSlot(collection, endpoint.companyId);
    try {
      await collection.insertOne({ _id: id, ...endpoint, slot });
      return;
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
  notice: _notice,
  trouble,
  ...endpoint
}: EndpointRecord): EndpointWithSecret {
  return { id: _id, ...endpoint, ...(trouble ? { healthIssue: trouble } : {}) };
}

function toEndpointOrNull(record: EndpointRecord | null): EndpointWithSecret | null {
  return record && toEndpoint(record);
}
