import type { ContractorSnapshot, DomainEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents } from '@app/messaging';
import { isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Contractor, ContractorChange } from './contractor.ts';
import { contractorSnapshot, contractorSnapshotEvents } from './contractor-snapshot.ts';

export type ContractorStore = {
  /** @throws AppError conflict `contractor_exists` where the client has an entry for that company */
  add(contractor: Contractor): Promise<void>;
  find(clientId: string, id: string): Promise<Contractor | null>;
  /** Ascending by id, from after `cursor` on. */
  list(clientId: string, page: { limit: number; cursor?: string }): Promise<Contractor[]>;
  /**
   * Loads, decides, saves with its events; again when another change came between, so `decide` is pure.
   * @throws AppError not_found `contractor_not_found`, conflict `contractor_exists`, overloaded `contractor_busy`
   */
  change(clientId: string, id: string, decide: (contractor: Contractor) => ContractorChange): Promise<Contractor>;
  /** Entries of these clients by id. */
  byIds(clientId: string | readonly string[], ids: readonly string[]): Promise<Map<string, Contractor>>;
  /** The client's entry for a contractor company: null where it is not in its directory. */
  forCompany(companyId: string, clientId: string): Promise<Contractor | null>;
  snapshot(clientId: string, id: string): Promise<ContractorSnapshot | null>;
  /** Of entries of every client, ascending by id. */
  snapshotsAfter(id: string | null, limit: number): Promise<ContractorSnapshot[]>;
};

type Stored = Contractor & { version: number; outbox?: DomainEvent[] };

const changeAttempts = 50;

const schema = new Schema<Stored>(
  {
    _id: { type: String, required: true },
    client_id: { type: String, required: true },
    name: String,
    type: { type: String },
    company_id: String,
    siret: String,
    siren: String,
    email: String,
    phone: String,
    fields: { type: [{ _id: false, field_id: String, value: String }] },
    version: Number,
  },
  { versionKey: false, collection: 'contractors' },
);
schema.index({ client_id: 1, _id: 1 }, { name: 'list' });
// One entry a client and company, whatever races: a contractor that opens a ticket must be told apart from nobody.
schema.index(
  { client_id: 1, company_id: 1 },
  { name: 'client_company', unique: true, partialFilterExpression: { company_id: { $gt: '' } } },
);
addOutbox(schema as unknown as Schema);

type Deps = { connection: Connection; relay: Pick<Relay, 'watch' | 'committed'>; now?: () => Date };

export function createContractorStore({ connection, relay, now = () => new Date() }: Deps): ContractorStore {
  const model = connection.model<Stored>('Contractor', schema);
  relay.watch(model);
  const shown = { outbox: 0, version: 0 };

  async function load(clientId: string, id: string): Promise<Stored> {
    const stored = await model.findOne({ _id: id, client_id: clientId }, { outbox: 0 }).lean<Stored>();
    if (!stored) throw new AppError('not_found', 'contractor_not_found', 'there is no such contractor');
    return stored;
  }

  return {
    async add(contractor) {
      const outbox = toCloudEvents('ticket', contractorSnapshotEvents(null, { contractor, version: 1 }, now()));
      await refuseTwins(() => model.collection.insertOne({ ...contractor, version: 1, outbox } as never));
      relay.committed(model, contractor._id, outbox);
    },
    find: (clientId, id) => model.findOne({ _id: id, client_id: clientId }, shown).lean<Contractor>(),
    list(clientId, { limit, cursor }) {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      // Hinted: beside a cursor the planner may take the index of `_id` and read through everybody's.
      const found = model
        .find({ client_id: clientId, ...after }, shown)
        .sort({ _id: 1 })
        .hint('list');
      return found.limit(limit).lean<Contractor[]>();
    },
    async change(clientId, id, decide) {
      for (let attempt = 1; attempt <= changeAttempts; attempt++) {
        const { version, ...current } = await load(clientId, id);
        const { contractor, events } = decide(current);
        const facts = contractorSnapshotEvents(current, { contractor, version: version + 1 }, now());
        const sealed = toCloudEvents('ticket', [...events, ...facts]);
        const { modifiedCount } = await refuseTwins(() =>
          model.updateOne(
            { _id: id, version },
            {
              $set: { ...contractor, version: version + 1 },
              ...(sealed.length > 0 ? { $push: { outbox: { $each: sealed } } } : {}),
            },
          ),
        );
        if (modifiedCount === 0) continue;
        relay.committed(model, id, sealed);
        return contractor;
      }
      throw new AppError('overloaded', 'contractor_busy', 'too many changes of this contractor at once; try again');
    },
    async byIds(clientId, ids) {
      if (ids.length === 0) return new Map();
      const client_id = typeof clientId === 'string' ? clientId : { $in: [...clientId] };
      const found = await model.find({ _id: { $in: [...ids] }, client_id }, shown).lean<Contractor[]>();
      return new Map(found.map((contractor) => [contractor._id, contractor]));
    },
    forCompany: (companyId, clientId) =>
      model.findOne({ client_id: clientId, company_id: companyId }, shown).lean<Contractor>(),
    async snapshot(clientId, id) {
      const stored = await model.findOne({ _id: id, client_id: clientId }, { outbox: 0 }).lean<Stored>();
      return stored && contractorSnapshot({ contractor: stored, version: stored.version });
    },
    async snapshotsAfter(id, limit) {
      const found = model.find(id === null ? {} : { _id: { $gt: id } }, { outbox: 0 }).sort({ _id: 1 });
      const stored = await found.limit(limit).lean<Stored[]>();
      return stored.map((one) => contractorSnapshot({ contractor: one, version: one.version }));
    },
  };
}

async function refuseTwins<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error, 'client_company')) throw error;
    throw new AppError('conflict', 'contractor_exists', 'this company is already in the directory');
  }
}
