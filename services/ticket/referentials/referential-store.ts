import { AppError, ValidationError } from '@app/kernel';
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose';
import {
  allIds,
  type FieldTarget,
  idFaults,
  type Referential,
  type ReferentialIds,
  type ReferentialInput,
  type ReferentialKind,
} from './referential.ts';
import { type ReferentialView, type Resolved, referentialView, resolved } from './referential-view.ts';

type Key = { client_id: string; kind: ReferentialKind };

export type Referentials = {
  /** Ascending by id, from after `cursor` on; deleted things are not listed. */
  list(key: Key, page: { limit: number; cursor?: string }): Promise<Referential[]>;
  find(key: Key & { _id: string }): Promise<Referential | null>;
  /** @throws ValidationError on `parent_id` that is gone or too deep */
  add(one: Referential): Promise<void>;
  /** Writes only what is given. @throws ValidationError on a parent that is gone, too deep or makes a cycle; AppError not_found */
  change(current: Referential, changes: ReferentialInput): Promise<Referential>;
  /** Kept for the tickets that name it. @throws AppError conflict `in_use` where it has children; not_found */
  remove(one: Referential, at: Date): Promise<void>;
  /** Also the deleted ones. */
  byIds(clientId: string | readonly string[], ids: readonly string[]): Promise<Referential[]>;
  views(found: Referential[]): Promise<ReferentialView[]>;
  /** Everything that tickets of these clients name, by id, in one query (two where a billing location is not among it). */
  resolve(clientId: string | readonly string[], ids: ReferentialIds): Promise<Resolved>;
  /** @throws ValidationError naming each unknown, foreign or deleted id: `location_ids.0`, `fields.0.field_id` */
  check(clientId: string, ids: ReferentialIds, target?: FieldTarget): Promise<void>;
  /** As `check`, for a caller that has more faults to tell. */
  faults(clientId: string, ids: ReferentialIds, target?: FieldTarget): Promise<ValidationError['errors']>;
};

type Stored = Referential & { held?: number };

/** Bounds the walk to the root. */
const maxDepth = 20;

const schema = new Schema<Stored>(
  {
    _id: { type: String, required: true },
    client_id: { type: String, required: true },
    kind: { type: String, required: true },
    name: Schema.Types.Mixed,
    parent_id: String,
    reference: String,
    address: Schema.Types.Mixed,
    location_facturation_id: String,
    target: String,
    deleted_at: Date,
    // Counts changes among the children: deleting a parent and adding to it conflict, so that no orphan is made.
    held: Number,
  },
  { versionKey: false, collection: 'referentials', minimize: false },
);
schema.index({ client_id: 1, kind: 1, _id: 1 }, { name: 'live', partialFilterExpression: { deleted_at: null } });
schema.index({ client_id: 1, parent_id: 1 }, { name: 'children', partialFilterExpression: { parent_id: { $gt: '' } } });

export function createReferentials({ connection }: { connection: Connection }): Referentials {
  const model = connection.model<Stored>('Referential', schema);

  const byIds: Referentials['byIds'] = async (clientId, ids) => {
    if (ids.length === 0) return [];
    const client_id = typeof clientId === 'string' ? clientId : { $in: [...clientId] };
    return model.find({ _id: { $in: [...ids] }, client_id }, { held: 0 }).lean<Referential[]>();
  };

  /** The things found and the billing locations that they name. */
  async function withBilling(found: Referential[]): Promise<Map<string, Referential>> {
    const known = new Map(found.map((one) => [one._id, one]));
    const missing = found.filter(
      (one) =>
        one.kind === 'location' && one.location_facturation_id !== null && !known.has(one.location_facturation_id),
    );
    const ids = missing.map((one) => (one.kind === 'location' ? (one.location_facturation_id ?? '') : ''));
    const billing = await byIds([...new Set(missing.map((one) => one.client_id))], [...new Set(ids)]);
    for (const one of billing) known.set(one._id, one);
    return known;
  }

  const faults: Referentials['faults'] = async (clientId, ids, target = 'ticket') =>
    idFaults(ids, await byIds(clientId, allIds(ids)), target);

  return {
    byIds,
    faults,
    list(key, { limit, cursor }) {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const live = model.find({ ...key, deleted_at: null, ...after }, { held: 0 });
      // Hinted: beside a cursor the planner may take the index of `_id` and read through everybody's.
      return live.sort({ _id: 1 }).hint('live').limit(limit).lean<Referential[]>();
    },
    find: (key) => model.findOne({ ...key, deleted_at: null }, { held: 0 }).lean<Referential>(),
    add: (one) => add(model, connection, one),
    change: (current, changes) => change({ model, connection, current }, changes),
    remove: (one, at) => remove({ model, connection, current: one }, at),
    async views(found) {
      const known = await withBilling(found);
      return found.map((one) => referentialView(one, known));
    },
    async resolve(clientId, ids) {
      const found = await byIds(clientId, allIds(ids));
      return resolved(found, await withBilling(found));
    },
    async check(clientId, ids, target) {
      const errors = await faults(clientId, ids, target);
      if (errors.length > 0) throw new ValidationError(errors);
    },
  };
}

type Store = { model: Model<Stored>; connection: Connection; current: Referential };

async function add(model: Model<Stored>, connection: Connection, one: Referential): Promise<void> {
  const parentId = 'parent_id' in one ? one.parent_id : null;
  if (parentId === null) {
    await model.collection.insertOne(one as never);
    return;
  }
  await connection.transaction(async (session) => {
    await holdAncestors({ model, current: one, parentId, hold: 'parent' }, session);
    await model.collection.insertOne(one as never, { session });
  });
}

async function change({ model, connection, current }: Store, changes: ReferentialInput): Promise<Referential> {
  const update = (session: ClientSession | null) =>
    model
      .findOneAndUpdate({ _id: current._id, deleted_at: null }, { $set: changes }, { session, returnDocument: 'after' })
      .select({ held: 0 })
      .lean<Referential>();
  const { parent_id: parentId } = changes;
  const changed =
    typeof parentId === 'string'
      ? await connection.transaction(async (session) => {
          await holdAncestors({ model, current, parentId, hold: 'all' }, session);
          return update(session);
        })
      : await update(null);
  if (!changed) throw gone(current);
  return changed;
}

async function remove({ model, connection, current }: Store, at: Date): Promise<void> {
  const { _id, client_id, kind } = current;
  await connection.transaction(async (session) => {
    const child = await model.exists({ client_id, parent_id: _id, deleted_at: null }).session(session);
    if (child) throw new AppError('conflict', 'in_use', `this ${kind} has others under it; move or delete them first`);
    const { modifiedCount } = await model.updateOne(
      { _id, deleted_at: null },
      { $set: { deleted_at: at } },
      { session },
    );
    if (modifiedCount === 0) throw gone(current);
  });
}

type Walk = { model: Model<Stored>; current: Referential; parentId: string; hold: 'parent' | 'all' };

/**
 * Walks from the new parent to the root and writes on each step, so that of two moves that together would close a
 * circle, or of a move and a deletion, one is made to look again.
 * A new thing has nothing under it and closes no circle: for it, only its parent is held.
 */
async function holdAncestors({ model, current, parentId, hold }: Walk, session: ClientSession): Promise<void> {
  const { _id, client_id, kind } = current;
  let next: string | null = parentId;
  for (let depth = 1; next !== null; depth++) {
    if (next === _id) throw badParent(`would put this ${kind} under itself`);
    if (depth > maxDepth) throw badParent(`is more than ${maxDepth} levels deep`);
    const live: object = { _id: next, client_id, kind, deleted_at: null };
    const step: { parent_id?: string | null } | null =
      hold === 'all' || depth === 1
        ? await model.findOneAndUpdate(live, { $inc: { held: 1 } }, { session }).lean<{ parent_id?: string | null }>()
        : await model.findOne(live, { parent_id: 1 }, { session }).lean<{ parent_id?: string | null }>();
    if (!step) throw badParent(`is no ${kind} of yours`);
    next = step.parent_id ?? null;
  }
}

function badParent(reason: string): ValidationError {
  return new ValidationError([{ path: 'parent_id', message: `parent_id ${reason}` }]);
}

function gone({ kind }: Referential): AppError {
  return new AppError('not_found', `${kind}_not_found`, `there is no such ${kind.replace('_', ' ')}`);
}
