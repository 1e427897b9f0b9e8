import type { LocationSnapshot } from '@app/contracts';
import { AppError, type FieldError } from '@app/kernel';
import type { Relay } from '@app/messaging';
import { collectionOf, createCompanyList, createListReader, pageById } from '@app/runtime';
import type { ProtectedWrite } from '@app/runtime/idempotency';
import type { ClientSession, Connection, Model } from 'mongoose';
import type { StoredFile } from '../tickets/ticket.ts';
import { locationSnapshot, type Versioned } from './location-snapshot.ts';
import {
  allIds,
  type FieldTarget,
  idFaults,
  maxDepth,
  type Referential,
  type ReferentialIds,
  type ReferentialInput,
  type ReferentialKind,
} from './referential.ts';
import { referentialLists } from './referential-lists.ts';
import { type ReferentialResponse, type Resolved, referentialResponse, resolved } from './referential-response.ts';
import {
  addReferential,
  type ChangeDeps,
  changePhoto,
  changeReferential,
  correctBillingNames,
  hidden,
  type PhotoReplaced,
  referentialSchema,
  removeReferential,
  type StoredReferential,
  saveReferentials,
  type VersionCheck,
  versioned,
} from './referential-writes-store.ts';

type Key = { client_id: string; kind: ReferentialKind };

export type ReferentialStore = ReturnType<typeof createReferentialStore>;

const maxAll = 20_000;

type Deps = {
  connection: Connection;
  relay: Pick<Relay, 'watch' | 'committed'>;
  now?: () => Date;
  /** Called before entries of a client are moved below others. */
  moving?: (clientId: string) => Promise<void>;
};

export function createReferentialStore(deps: Deps) {
  const { connection, relay, now = () => new Date(), moving = async () => undefined } = deps;
  const model = connection.model<StoredReferential>('Referential', referentialSchema);
  relay.watch(model);
  const reader = createListReader<StoredReferential, Referential>(collectionOf(model), hidden);

  async function byIds(clientId: string | readonly string[], ids: readonly string[]): Promise<Referential[]> {
    if (ids.length === 0) return [];
    const client_id = typeof clientId === 'string' ? clientId : { $in: [...clientId] };
    return model.find({ _id: { $in: [...ids] }, client_id }, hidden).lean<Referential[]>();
  }

  /** Those found and the billing locations that they name, by id. */
  async function withBilling(found: Referential[]): Promise<Map<string, Referential>> {
    const known = new Map(found.map((one) => [one._id, one]));
    const missing = found.flatMap((one) => {
      const id = one.kind === 'location' ? one.location_facturation_id : null;
      return id === null || known.has(id) ? [] : [{ id, clientId: one.client_id }];
    });
    const clientIds = [...new Set(missing.map(({ clientId }) => clientId))];
    const billing = await byIds(clientIds, [...new Set(missing.map(({ id }) => id))]);
    for (const one of billing) known.set(one._id, one);
    return known;
  }

  return {
    ...writes({ model, connection, relay, now, moving }),
    /** With deleted ones. */
    byIds,
    /** The faults of unknown, foreign or deleted ids, at paths like `location_ids.0` or `fields.0.field_id`. */
    faults: async (clientId: string, ids: ReferentialIds, target: FieldTarget = 'ticket'): Promise<FieldError[]> =>
      idFaults(ids, await byIds(clientId, allIds(ids)), target),
    /** The ids of these locations of the client and of all below them, with deleted ones. */
    placesBelow: (clientId: string, ids: readonly string[]): Promise<string[]> => placesBelow(model, clientId, ids),
    /** Each of these with those above it, the nearest first. */
    withAbove: (clientId: string, ids: readonly string[]): Promise<string[][]> => withAbove(model, clientId, ids),
    /** Of each company, of this kind; the condition `liveOnes` belongs to every query. */
    ofKind: (kind: ReferentialKind) => createCompanyList(referentialLists[kind], reader),
    /** All live ones. @throws AppError conflict `too_many_entries` if they are more than 20,000 */
    async all(key: Key, session: ClientSession | null): Promise<Versioned[]> {
      const live = model.find({ ...key, deleted_at: null }, { outbox: 0 }, { session }).hint('live');
      const found = await live.limit(maxAll + 1).lean<StoredReferential[]>();
      if (found.length <= maxAll) return found.map(versioned);
      throw new AppError('conflict', 'too_many_entries', `a list with more than ${maxAll} entries takes no import`);
    },
    find: (key: Key & { _id: string }): Promise<Versioned | null> => findReferential(model, key),
    async views(found: Referential[]): Promise<ReferentialResponse[]> {
      const known = await withBilling(found);
      return found.map((one) => referentialResponse(one, known));
    },
    /**
     * Everything that tickets of these clients name, in one query; in two if they name a location
     * whose billing location they do not name.
     */
    async resolve(clientId: string | readonly string[], ids: ReferentialIds): Promise<Resolved> {
      const found = await byIds(clientId, allIds(ids));
      return resolved(found, await withBilling(found));
    },
    /** Of locations of every client, ascending by id, with deleted ones. */
    async locationSnapshotsAfter(id: string | null): Promise<{ found: LocationSnapshot[]; next: string | null }> {
      const locations = { filter: { kind: 'location' as const }, projection: { outbox: 0 } };
      // By the driver: it goes through the whole collection.
      const { found, next } = await pageById(collectionOf(model), id, locations);
      const snapshots = found.flatMap((one) => (one.kind === 'location' ? [locationSnapshot(one)] : []));
      return { found: snapshots, next };
    },
  };
}

function writes(deps: ChangeDeps) {
  const { model } = deps;
  return {
    /**
     * Writes new ones (`before` null) and changes of what `all` read in the same transaction, in which a change by somebody else is a
     * conflict. @returns what is to be called after the commit
     */
    saveAll: (
      planned: readonly { before: Versioned | null; after: Versioned }[],
      session: ClientSession,
    ): Promise<() => void> => saveReferentials(deps, planned, session),
    /** Keeps these where they are until the transaction ends: they neither move nor go. */
    async hold(client_id: string, ids: readonly string[], session: ClientSession): Promise<void> {
      await model.updateMany({ _id: { $in: [...ids] }, client_id }, { $inc: { held: 1 } }, { session });
    },
    /** @throws ValidationError if `parent_id` is gone or too deep */
    add: (one: Referential, write: ProtectedWrite | null): Promise<Referential> => addReferential(deps, one, write),
    /**
     * Writes only the given fields. @throws ValidationError if the parent is gone, too deep or makes
     * a cycle; AppError not_found
     */
    change: (current: Referential, changes: ReferentialInput, check?: VersionCheck): Promise<Versioned> =>
      changeReferential(deps, { current, check }, changes),
    /** `replaced` is called within the transaction. @throws AppError not_found */
    changePhoto: (
      current: Referential,
      photo: StoredFile | null,
      { check, replaced }: { check: VersionCheck; replaced: PhotoReplaced },
    ): Promise<Versioned> => changePhoto(deps, { current, check }, photo, replaced),
    /** Marks it as deleted; tickets that name it still show it. @throws AppError conflict `in_use` if it has children; not_found */
    remove: (one: Referential, at: Date, check?: VersionCheck): Promise<void> =>
      removeReferential(deps, { current: one, check }, at),
    /**
     * Corrects the stored names of billing locations after a change of this location: on itself and on the locations that are
     * billed at it. Repeating it changes nothing.
     */
    checkBilling: (locationId: string): Promise<void> => correctBillingNames(deps, locationId),
  };
}

type Child = { _id: string; parent_id?: string | null };

/** Level by level. */
async function withAbove(model: Model<StoredReferential>, client_id: string, ids: readonly string[]) {
  const parents = new Map<string, string | null>();
  for (let level = [...ids]; level.length > 0; ) {
    const found = await model.find({ _id: { $in: level }, client_id }, { parent_id: 1 }).lean<Child[]>();
    for (const { _id, parent_id = null } of found) parents.set(_id, parent_id);
    level = found.flatMap(({ parent_id }) => (parent_id && !parents.has(parent_id) ? [parent_id] : []));
  }
  return ids.map((id) => {
    const above = [id];
    for (let up = parents.get(id); up && above.length < maxDepth; up = parents.get(up)) above.push(up);
    return above;
  });
}

async function findReferential(model: Model<StoredReferential>, key: Key & { _id: string }): Promise<Versioned | null> {
  const stored = await model.findOne({ ...key, deleted_at: null }, { outbox: 0 }).lean<StoredReferential>();
  return stored && versioned(stored);
}

/** Level by level. A place that is moved meanwhile may be found at both, once: it ends all the same. */
async function placesBelow(model: Model<StoredReferential>, client_id: string, ids: readonly string[]) {
  const found = new Set<string>();
  const own = model.find({ _id: { $in: ids }, client_id, kind: 'location' }, { _id: 1 });
  let level = await own.lean<{ _id: string }[]>();
  while (level.length > 0) {
    for (const { _id } of level) found.add(_id);
    const below = { client_id, parent_id: { $in: level.map(({ _id }) => _id) } };
    const children = await model.find(below, { _id: 1 }).hint('children').lean<{ _id: string }[]>();
    level = children.filter(({ _id }) => !found.has(_id));
  }
  return [...found];
}
