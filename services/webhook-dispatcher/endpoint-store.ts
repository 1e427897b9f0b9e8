import { AppError } from '@app/kernel';
import { findManyRaw, isDuplicateKey, majorityRead } from '@app/runtime';
import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { type Endpoint, type EndpointPatch, maxEndpoints } from './endpoint.ts';
import type { Notice } from './notice.ts';

export type Session = ClientSession;

/** An endpoint with its secret, sealed: for signing alone. */
export type Target = Endpoint & { sealedSecret: string };

export type EndpointStore = {
  /** @throws AppError conflict `webhook_endpoint_limit` */
  add(endpoint: Target): Promise<void>;
  list(companyId: string): Promise<Endpoint[]>;
  /** Null where the company has no such endpoint, or no longer. */
  find(companyId: string, id: string): Promise<Target | null>;
  /** `active: true` after a disabling also resets the counter and the reason. */
  update(endpoint: Endpoint, patch: EndpointPatch, at: Date): Promise<Endpoint | null>;
  remove(endpoint: Endpoint, at: Date): Promise<void>;
  /** For each one asked about: endpoints of these companies, active or not, that subscribe to the event. One query for all. */
  listening(asked: Asked[]): Promise<Target[][]>;
};

/** The companies that may hear an event, and its public name. */
export type Asked = { companyIds: string[]; event: string };

export type EndpointRecord = Omit<Target, 'id'> & {
  _id: string;
  /** 0 to 9 while the endpoint lives: the unique index on it is what holds a company to its limit under parallel creates. */
  slot?: number;
  deletedAt?: Date;
  notice?: Notice;
};
export type Endpoints = mongo.Collection<EndpointRecord>;

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
    trouble: { type: Schema.Types.Mixed as never },
    enablings: { type: Number },
    notice: { type: Schema.Types.Mixed as never },
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

export const live = { slot: { $gte: 0 } };
/** Whoever makes it active, or inactive, has seen what is wrong: nobody needs to be told any more. */
export const untroubled = { $unset: { trouble: 1 as const, notice: 1 as const } };
/** Each lost race means that another create took a slot, so few are ever needed. */
const maxRaces = 10 * maxEndpoints;

/** The collection, with its model registered so that its indexes are made at the start. */
export function endpointsOf(connection: Connection): Endpoints {
  const { collection } = connection.models['Endpoint'] ?? connection.model('Endpoint', endpointSchema);
  return connection.collection<EndpointRecord>(collection.collectionName) as unknown as Endpoints;
}

export function createEndpointStore(connection: Connection): EndpointStore {
  const model = connection.model('Endpoint', endpointSchema);
  const collection = model.collection;

  async function freeSlot(companyId: string): Promise<number> {
    const taken = await model.find({ companyId, ...live }, { slot: 1, _id: 0 }).lean();
    const slots = new Set(taken.map(({ slot }) => slot));
    const free = [...Array(maxEndpoints).keys()].find((slot) => !slots.has(slot));
    if (free !== undefined) return free;
    const message = `a company has at most ${maxEndpoints} webhook endpoints; delete one first`;
    throw new AppError('conflict', 'webhook_endpoint_limit', message);
  }

  return {
    async add({ id, ...endpoint }) {
      for (let race = 0; race < maxRaces; race++) {
        const slot = await freeSlot(endpoint.companyId);
        try {
          await collection.insertOne({ _id: id, ...endpoint, slot } as never);
          return;
        } catch (error) {
          if (!isDuplicateKey(error, 'companySlot')) throw error;
        }
      }
      throw new AppError('overloaded', 'overloaded', 'too many endpoints are being created at once');
    },
    async list(companyId) {
      const records = await model
        .find({ companyId, ...live })
        .sort({ slot: 1 })
        .lean<EndpointRecord[]>();
      return records.map(toTarget).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
    async find(companyId, id) {
      return toTargetOrNull(await model.findOne({ _id: id, companyId, ...live }).lean<EndpointRecord>());
    },
    async update({ id, companyId }, patch, at) {
      const mine = { _id: id, companyId, ...live };
      const changed = { ...patch, updatedAt: at };
      const reset = { ...changed, consecutiveFailures: 0, disabledReason: null };
      const enabling = { $set: reset, $inc: { enablings: 1 }, ...untroubled };
      const change = { $set: changed, ...(patch.active === false ? untroubled : {}) };
      const options = { returnDocument: 'after' as const };
      const enabled =
        patch.active === true
          ? await model.findOneAndUpdate({ ...mine, active: false }, enabling, options).lean<EndpointRecord>()
          : null;
      if (enabled) return toTarget(enabled);
      return toTargetOrNull(await model.findOneAndUpdate(mine, change, options).lean<EndpointRecord>());
    },
    async remove({ id, companyId }, at) {
      await collection.updateOne(
        { _id: id as never, companyId },
        {
          $set: { active: false, deletedAt: at, updatedAt: at },
          $unset: { slot: 1, sealedSecret: 1, trouble: 1, notice: 1 },
        },
      );
    },
    async listening(asked) {
      const filter = {
        companyId: { $in: [...new Set(asked.flatMap(({ companyIds }) => companyIds))] },
        events: { $in: [...new Set(asked.map(({ event }) => event))] },
        ...live,
      };
      // An event that nobody listens to is done: what says so must not be taken back.
      const found = await findManyRaw<EndpointRecord>(collection, { filter, ...majorityRead });
      const byCompany = Map.groupBy(found.map(toTarget), ({ companyId }) => companyId);
      return asked.map(({ companyIds, event }) =>
        companyIds.flatMap((id) => byCompany.get(id)?.filter(({ events }) => events.includes(event)) ?? []),
      );
    },
  };
}

export function toTarget({
  _id,
  slot: _slot,
  deletedAt: _deletedAt,
  notice: _notice,
  ...endpoint
}: EndpointRecord): Target {
  return { id: _id, ...endpoint };
}

function toTargetOrNull(record: EndpointRecord | null): Target | null {
  return record && toTarget(record);
}
