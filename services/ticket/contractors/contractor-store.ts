import type { ContractorSnapshot, DomainEvent } from '@app/contracts';
import { AppError, indexFields } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents } from '@app/messaging';
import {
  collectionOf,
  conflict,
  createCompanyList,
  createListReader,
  documentSchema,
  isDuplicateKey,
  pageById,
  retryOnConflict,
} from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import type { ClientSession, Connection, Model } from 'mongoose';
import type { Contractor, ContractorChange, VersionedContractor } from './contractor.ts';
import { contractorNotFound, contractorSnapshot, contractorSnapshotEvents, listKeysOf } from './contractor.ts';
import { contractorList } from './contractor-list.ts';

type Decide = (contractor: Contractor, version: number) => ContractorChange;

export type ContractorStore = ReturnType<typeof createContractorStore>;

/** `holds` is written for the conflict alone. */
type Stored = Contractor & ReturnType<typeof listKeysOf> & { version: number; holds?: number; outbox?: DomainEvent[] };

const maxAttempts = 50;
const maxAll = 20_000;
const listed = { outbox: 0, holds: 0, words: 0, version: 0 } as const;
const withVersion = { outbox: 0, holds: 0, words: 0, name_order: 0 } as const;
const projection = { ...withVersion, version: 0 } as const;

const schema = documentSchema<Stored>('contractors');
for (const { name, fields } of indexFields(contractorList)) schema.index(fields, { name });
schema.index({ client_id: 1, words: 1 }, { name: 'words' });
// At most one entry per client and company, also for concurrent requests: by it the entry of a
// contractor that creates a ticket is found.
schema.index(
  { client_id: 1, company_id: 1 },
  { name: 'client_company', unique: true, partialFilterExpression: { company_id: { $gt: '' } } },
);
schema.index(
  { company_id: 1, client_id: 1 },
  { name: 'clients', partialFilterExpression: { company_id: { $gt: '' } } },
);
schema.index(
  { requested_company_id: 1, _id: 1 },
  { name: 'requests', partialFilterExpression: { requested_company_id: { $gt: '' } } },
);
addOutbox(schema);

type Deps = { connection: Connection; relay: Pick<Relay, 'watch' | 'committed'>; now?: () => Date };

export function createContractorStore({ connection, relay, now = () => new Date() }: Deps) {
  const model = connection.model<Stored>('Contractor', schema);
  relay.watch(model);

  return {
    /**
     * @returns the entry as saved, by an earlier attempt at this request or now
     * @throws AppError conflict `contractor_exists` if the client has an entry for that company
     */
    async add(given: Contractor, write: ProtectedWrite | null): Promise<Contractor> {
      const { contractor, outbox } = await writeOnceIn(write, connection, async (within) => {
        const events = contractorSnapshotEvents(null, { contractor: given, version: 1 }, now());
        const outbox = toCloudEvents('ticket', events);
        await refuseDuplicates(() => model.create([{ ...given, ...listKeysOf(given), version: 1, outbox }], within));
        return { contractor: given, outbox };
      });
      relay.committed(model, contractor._id, outbox);
      return contractor;
    },
    ...reads(model),
    /**
     * Loads, decides and saves with the events; again if another change came between, so `decide` must be pure. It gets the version
     * that its change replaces.
     * @throws AppError not_found `contractor_not_found`, conflict `contractor_exists`, overloaded `contractor_busy`
     */
    change(clientId: string, id: string, decide: Decide): Promise<VersionedContractor> {
      const attempt = async () => {
        const stored = await model.findOne({ _id: id, client_id: clientId }, withVersion).lean<Stored>();
        if (!stored) throw contractorNotFound();
        const { version, ...current } = stored;
        const { contractor, events } = decide(current, version);
        const snapshots = contractorSnapshotEvents(current, { contractor, version: version + 1 }, now());
        const outbox = toCloudEvents('ticket', [...events, ...snapshots]);
        const push = outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {};
        const update = { $set: { ...contractor, ...listKeysOf(contractor), version: version + 1 }, ...push };
        const { matchedCount } = await refuseDuplicates(() => model.updateOne({ _id: id, version }, update));
        if (matchedCount === 0) return conflict;
        relay.committed(model, id, outbox);
        return { contractor, version: version + 1 };
      };
      return retryOnConflict(attempt, { code: 'contractor_busy', what: 'this contractor', maxAttempts });
    },
    /** Writes the custom fields of what `all` read in the same transaction. Nobody is told: no snapshot has them. */
    async saveFields(changed: readonly VersionedContractor[], session: ClientSession): Promise<void> {
      const writes = changed.map(({ contractor: { _id, fields }, version }) => {
        const filter = { _id, version: version - 1 };
        return { updateOne: { filter, update: { $set: { fields, version } } } };
      });
      await model.bulkWrite(writes, { session });
    },
  };
}

function reads(model: Model<Stored>) {
  return {
    async find(clientId: string, id: string): Promise<VersionedContractor | null> {
      const stored = await model.findOne({ _id: id, client_id: clientId }, withVersion).lean<Stored>();
      return stored && versioned(stored);
    },
    /** The whole directory. @throws AppError conflict `too_many_entries` if it has more than 20,000 entries */
    async all(clientId: string, session: ClientSession | null): Promise<VersionedContractor[]> {
      const entries = model.find({ client_id: clientId }, withVersion, { session }).hint('list');
      const found = await entries.limit(maxAll + 1).lean<Stored[]>();
      if (found.length <= maxAll) return found.map(versioned);
      throw new AppError('conflict', 'too_many_entries', `a list with more than ${maxAll} entries takes no import`);
    },
    /** By the driver, as lists are read. */
    read: createCompanyList(contractorList, createListReader<Stored, Contractor>(collectionOf(model), listed)),
    /** Entries of these clients by id. */
    async byIds(clientId: string | readonly string[], ids: readonly string[]): Promise<Map<string, Contractor>> {
      if (ids.length === 0) return new Map();
      const client_id = typeof clientId === 'string' ? clientId : { $in: [...clientId] };
      const found = await model.find({ _id: { $in: [...ids] }, client_id }, projection).lean<Contractor[]>();
      return new Map(found.map((contractor) => [contractor._id, contractor]));
    },
    /**
     * Keeps entries without an account so until the transaction ends: who links one then finds what that has written. False if one
     * has an account.
     */
    async holdUnlinked(client_id: string, ids: readonly string[], session: ClientSession): Promise<boolean> {
      const unlinked = { _id: { $in: [...ids] }, client_id, company_id: null };
      const { matchedCount } = await model.updateMany(unlinked, { $inc: { holds: 1 } }, { session });
      return matchedCount === ids.length;
    },
    /** The client's entry for a contractor company; null if it has none. */
    forCompany: (companyId: string, clientId: string): Promise<Contractor | null> =>
      model.findOne({ client_id: clientId, company_id: companyId }, projection).lean<Contractor>().exec(),
    /** The clients that have this company in their directory, ascending by id, after `cursor`. */
    async clientsOf(companyId: string, { limit, cursor }: { limit: number; cursor?: string }): Promise<string[]> {
      const after = cursor === undefined ? {} : { client_id: { $gt: cursor } };
      const found = model.find({ company_id: companyId, ...after }, { _id: 0, client_id: 1 }).hint('clients');
      return (await found.sort({ client_id: 1 }).limit(limit).lean()).map(({ client_id }) => client_id);
    },
    /** The entries that ask this company for its yes, ascending by id, after `cursor`. */
    requestsTo(companyId: string, { limit, cursor }: { limit: number; cursor?: string }): Promise<Contractor[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model.find({ requested_company_id: companyId, ...after }, projection).hint('requests');
      return found.sort({ _id: 1 }).limit(limit).lean<Contractor[]>().exec();
    },
    /** The entry that asks this company for its yes, or has it. */
    ofCompany(companyId: string, id: string): Promise<Contractor | null> {
      const itsOwn = { $or: [{ requested_company_id: companyId }, { company_id: companyId }] };
      return model
        .findOne({ _id: id, ...itsOwn }, projection)
        .lean<Contractor>()
        .exec();
    },
    async snapshot(clientId: string, id: string): Promise<ContractorSnapshot | null> {
      const stored = await model.findOne({ _id: id, client_id: clientId }).lean<Stored>();
      return stored && contractorSnapshot({ contractor: stored, version: stored.version });
    },
    /** Of entries of every client, ascending by id. */
    async snapshotsAfter(id: string | null): Promise<{ found: ContractorSnapshot[]; next: string | null }> {
      // By the driver: it goes through the whole collection.
      const { found, next } = await pageById(collectionOf(model), id, { projection: withVersion });
      return { found: found.map((one) => contractorSnapshot({ contractor: one, version: one.version })), next };
    },
  };
}

function versioned({ version, ...contractor }: Stored): VersionedContractor {
  return { contractor, version };
}

async function refuseDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error, 'client_company')) throw error;
    throw contractorExists();
  }
}

export function contractorExists(): AppError {
  return new AppError('conflict', 'contractor_exists', 'this company is already in the directory');
}
