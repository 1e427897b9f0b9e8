import type { DomainEvent } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import { type Relay, toCloudEvents } from '@app/messaging';
import type { ClientSession, Connection, Model } from 'mongoose';
import { locationSnapshotEvents, type Versioned } from './location-snapshot.ts';
import type { Referential, ReferentialInput } from './referential.ts';
import type { StoredReferential } from './referential-model-store.ts';

/** Levels of a tree, the root's included: bounds every walk up or down. */
const maxDepth = 20;
const changeAttempts = 20;

export type ChangeDeps = {
  model: Model<StoredReferential>;
  connection: Connection;
  relay: Pick<Relay, 'committed'>;
  now: () => Date;
};

type Planned = { before: Versioned | null; after: Versioned };
/** Reads what is there and says what it shall be; checks within the transaction that what is named stands. */
type Plan = (session: ClientSession | null) => Promise<Planned>;

export async function addReferential(deps: ChangeDeps, one: Referential): Promise<void> {
  await save(deps, { inTransaction: 'parent_id' in one && one.parent_id !== null }, async (session) => {
    if (session)
      await holdAncestors(
        deps,
        { current: one, parentId: 'parent_id' in one ? one.parent_id : null, hold: 'parent' },
        session,
      );
    return { before: null, after: await withBilling(deps, { ...one, version: 1 }) };
  });
}

export async function changeReferential(
  deps: ChangeDeps,
  current: Referential,
  changes: ReferentialInput,
): Promise<Referential> {
  return save(deps, { inTransaction: typeof changes.parent_id === 'string' }, async (session) => {
    const before = await load(deps, current, session);
    const after = { ...before, ...changes, version: before.version + 1 } as Versioned;
    if (session) await holdAncestors(deps, { current, parentId: changes.parent_id ?? null, hold: 'all' }, session);
    const billed = changes.location_facturation_id !== undefined;
    return { before, after: billed ? await withBilling(deps, after) : after };
  });
}

export async function removeReferential(deps: ChangeDeps, current: Referential, at: Date): Promise<void> {
  const { _id, client_id, kind } = current;
  await save(deps, { inTransaction: true }, async (session) => {
    const child = await deps.model.exists({ client_id, parent_id: _id, deleted_at: null }).session(session);
    if (child) throw new AppError('conflict', 'in_use', `this ${kind} has others under it; move or delete them first`);
    const before = await load(deps, current, session);
    return { before, after: { ...before, deleted_at: at, version: before.version + 1 } };
  });
}

/** The name by which a location is billed became another: told like any change of its facts. */
export async function renameBilling(deps: ChangeDeps, location: StoredReferential, name: string): Promise<void> {
  const before = versioned(location);
  const after = { ...before, facturation_name: name, version: before.version + 1 };
  const sealed = await write(deps, { before, after }, null);
  if (sealed) deps.relay.committed(deps.model, location._id, sealed);
}

/** Saves what `plan` says with its events; again where another write came between. */
async function save(deps: ChangeDeps, { inTransaction }: { inTransaction: boolean }, plan: Plan): Promise<Referential> {
  const attempt = async (session: ClientSession | null) => {
    const planned = await plan(session);
    return { planned, sealed: await write(deps, planned, session) };
  };
  for (let tried = 0; tried < changeAttempts; tried++) {
    const { planned, sealed } = inTransaction ? await deps.connection.transaction(attempt) : await attempt(null);
    if (!sealed) continue;
    deps.relay.committed(deps.model, planned.after._id, sealed);
    return planned.after;
  }
  throw new AppError('overloaded', 'referential_busy', 'too many changes of this at once; try again');
}

/** State and events in one write; null where another change came between. */
async function write(
  { model, now }: ChangeDeps,
  { before, after }: Planned,
  session: ClientSession | null,
): Promise<DomainEvent[] | null> {
  const sealed = toCloudEvents('ticket', locationSnapshotEvents(before, after, now()));
  const within = session ? { session } : {};
  if (!before) {
    await model.collection.insertOne({ ...after, outbox: sealed } as never, within);
    return sealed;
  }
  // What was made before versions were counted has none.
  const filter = { _id: before._id, version: before.version === 0 ? null : before.version };
  const push = sealed.length > 0 ? { $push: { outbox: { $each: sealed } } } : {};
  const update = { $set: replaced(before, after), ...push };
  const { modifiedCount } = await model.collection.updateOne(filter as never, update as never, within);
  return modifiedCount === 1 ? sealed : null;
}

function replaced(before: Versioned, after: Versioned): Partial<Versioned> {
  const names = Object.keys(after) as (keyof Versioned)[];
  return Object.fromEntries(names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]));
}

async function load({ model }: ChangeDeps, current: Referential, session: ClientSession | null): Promise<Versioned> {
  const live = { _id: current._id, deleted_at: null };
  const stored = await model.findOne(live, { outbox: 0 }, { session }).lean<StoredReferential>();
  if (!stored) throw gone(current);
  return versioned(stored);
}

function versioned({ held, outbox, version = 0, ...stored }: StoredReferential): Versioned {
  return { ...stored, version };
}

/**
 * The location with the name by which it is billed, as far as is known now. Where that location is being renamed at the
 * same moment, the event of this write has it looked at once more (`checkBilling`).
 */
async function withBilling({ model }: ChangeDeps, one: Versioned): Promise<Versioned> {
  if (one.kind !== 'location') return one;
  const { location_facturation_id: _id, client_id } = one;
  if (_id === null) return { ...one, facturation_name: null };
  const billing = await model.findOne({ _id, client_id, kind: 'location' }, { name: 1 }).lean<{ name: string }>();
  return { ...one, facturation_name: billing?.name ?? null };
}

type Walk = { current: Referential; parentId: string | null; hold: 'parent' | 'all' };

/**
 * Walks from the new parent to the root and writes on each step, so that of two moves that together would close a
 * circle, or of a move and a deletion, one is made to look again.
 * A new thing has nothing under it and closes no circle: for it, only its parent is held.
 */
async function holdAncestors(
  { model }: ChangeDeps,
  { current, parentId, hold }: Walk,
  session: ClientSession,
): Promise<void> {
  const { _id, client_id, kind } = current;
  const levels = hold === 'all' ? await levelsFrom(model, current, session) : 1;
  let next = parentId;
  for (let depth = levels; next !== null; depth++) {
    if (next === _id) throw badParent(`would put this ${kind} under itself`);
    if (depth >= maxDepth) throw badParent(`is more than ${maxDepth} levels deep`);
    const live: object = { _id: next, client_id, kind, deleted_at: null };
    const step: { parent_id?: string | null } | null =
      hold === 'all' || next === parentId
        ? await model.findOneAndUpdate(live, { $inc: { held: 1 } }, { session }).lean<{ parent_id?: string | null }>()
        : await model.findOne(live, { parent_id: 1 }, { session }).lean<{ parent_id?: string | null }>();
    if (!step) throw badParent(`is no ${kind} of yours`);
    next = step.parent_id ?? null;
  }
}

/**
 * The levels that a thing and all under it take, level by level by the index of children. What is added far below at the
 * same moment is not seen: a tree may come out a level too deep then, which breaks nothing.
 */
async function levelsFrom(
  model: ChangeDeps['model'],
  { _id, client_id }: Referential,
  session: ClientSession,
): Promise<number> {
  let level = [_id];
  for (let levels = 1; ; levels++) {
    const below = { client_id, parent_id: { $in: level }, deleted_at: null };
    const children = model.find(below, { _id: 1 }, { session }).hint('children');
    level = levels > maxDepth ? [] : (await children.lean<{ _id: string }[]>()).map((child) => child._id);
    if (level.length === 0) return levels;
  }
}

function badParent(reason: string): ValidationError {
  return new ValidationError([{ path: 'parent_id', message: `parent_id ${reason}` }]);
}

function gone({ kind }: Referential): AppError {
  return new AppError('not_found', `${kind}_not_found`, `there is no such ${kind.replace('_', ' ')}`);
}
