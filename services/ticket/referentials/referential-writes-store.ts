import type { DomainEvent } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { conflict, documentSchema, retryOnConflict, type WithWords } from '@app/runtime';
import { type ProtectedWrite, type SaveResult, writeOnce } from '@app/runtime/idempotency';
import type { ClientSession, Connection, Model } from 'mongoose';
import type { StoredFile } from '../tickets/ticket.ts';
import { locationSnapshotEvents, type Versioned } from './location-snapshot.ts';
import { type Location, maxDepth, type Referential, type ReferentialInput, wordsOfReferential } from './referential.ts';

/**
 * `held` counts changes among the children: so deleting a parent conflicts with adding a child at
 * the same time, and no orphan is left.
 */
export type StoredReferential = Referential &
  WithOutbox &
  WithWords & { held?: number; version: number; facturation_name?: string | null };

/** The fields that the store keeps to itself. */
export const hidden = { held: 0, version: 0, facturation_name: 0, words: 0, outbox: 0 } as const;

export const referentialSchema = documentSchema<StoredReferential>('referentials');
addOutbox(referentialSchema);
const named = (field: string) => ({ partialFilterExpression: { [field]: { $gt: '' } } });
referentialSchema.index(
  { client_id: 1, kind: 1, _id: 1 },
  { name: 'live', partialFilterExpression: { deleted_at: null } },
);
referentialSchema.index(
  { client_id: 1, kind: 1, words: 1 },
  { name: 'words', partialFilterExpression: { deleted_at: null } },
);
referentialSchema.index({ client_id: 1, parent_id: 1 }, { name: 'children', ...named('parent_id') });
referentialSchema.index(
  { client_id: 1, location_facturation_id: 1 },
  { name: 'billing', ...named('location_facturation_id') },
);

const billingBatchSize = 100;

export type ChangeDeps = {
  model: Model<StoredReferential>;
  connection: Connection;
  relay: Pick<Relay, 'committed'>;
  now: () => Date;
  moving: (clientId: string) => Promise<void>;
};

type Planned = { before: Versioned | null; after: Versioned };
/** Reads the stored referential and returns the new one; within the transaction, checks that its parent exists. */
type Plan = (session: ClientSession | null) => Promise<Planned>;

export function addReferential(
  deps: ChangeDeps,
  one: Referential,
  protectedWrite: ProtectedWrite | null,
): Promise<Referential> {
  const parentId = 'parent_id' in one ? one.parent_id : null;
  return writeOnce(protectedWrite, (saveResult) =>
    save(deps, { inTransaction: parentId !== null, saveResult }, async (session) => {
      if (session) await lockAncestors(deps, { current: one, parentId, locked: 'parent' }, session);
      return { before: null, after: await withBilling(deps, { ...one, version: 1 }) };
    }),
  );
}

/** Throws if the change may not replace this version. */
export type VersionCheck = ((version: number) => void) | null | undefined;
type Checked = { current: Referential; check: VersionCheck };

export async function changeReferential(
  deps: ChangeDeps,
  { current, check }: Checked,
  changes: ReferentialInput,
): Promise<Versioned> {
  if (changes.parent_id !== undefined) await deps.moving(current.client_id);
  return save(deps, { inTransaction: typeof changes.parent_id === 'string' }, async (session) => {
    const before = await load(deps, current, session);
    check?.(before.version);
    const after = { ...before, ...changes, version: before.version + 1 } as Versioned;
    if (session) await lockAncestors(deps, { current, parentId: changes.parent_id ?? null, locked: 'all' }, session);
    const billed = changes.location_facturation_id !== undefined;
    return { before, after: billed ? await withBilling(deps, after) : after };
  });
}

/** Called within the transaction that replaces a photo, with the one that was there. */
export type PhotoReplaced = (former: StoredFile | null, session: ClientSession) => Promise<void>;

export async function changePhoto(
  deps: ChangeDeps,
  { current, check }: Checked,
  photo: StoredFile | null,
  replaced: PhotoReplaced,
): Promise<Versioned> {
  return save(deps, { inTransaction: true }, async (session) => {
    const before = await load(deps, current, session);
    check?.(before.version);
    const former = 'photo' in before ? (before.photo ?? null) : null;
    await replaced(former, session as ClientSession);
    return { before, after: { ...before, photo, version: before.version + 1 } as Versioned };
  });
}

export async function removeReferential(deps: ChangeDeps, { current, check }: Checked, at: Date): Promise<void> {
  const { _id, client_id, kind } = current;
  await save(deps, { inTransaction: true }, async (session) => {
    const child = await deps.model.exists({ client_id, parent_id: _id, deleted_at: null }).session(session);
    if (child) throw new AppError('conflict', 'in_use', `this ${kind} has others under it; move or delete them first`);
    const before = await load(deps, current, session);
    check?.(before.version);
    return { before, after: { ...before, deleted_at: at, version: before.version + 1 } };
  });
}

/** See `ReferentialStore.saveAll`. */
export async function saveReferentials(
  { model, relay, now, moving }: ChangeDeps,
  planned: readonly Planned[],
  session: ClientSession,
): Promise<() => void> {
  await moving(planned[0]?.after.client_id ?? '');
  const at = now();
  const written = planned.map(({ before, after }) => {
    return { before, after, outbox: toCloudEvents('ticket', locationSnapshotEvents(before, after, at)) };
  });
  const writes = written.map(({ before, after, outbox }) => {
    if (!before) return { insertOne: { document: { ...after, words: wordsOfReferential(after), outbox } } };
    const filter = { _id: before._id, version: before.version };
    return { updateOne: { filter, update: updateTo(before, after, outbox) } };
  });
  await model.bulkWrite(writes as Parameters<typeof model.bulkWrite>[0], { session });
  return () => {
    for (const { after, outbox } of written) relay.committed(model, after._id, outbox);
  };
}

/** See `ReferentialStore.checkBilling`. */
export async function correctBillingNames(deps: ChangeDeps, locationId: string): Promise<void> {
  await correctOwnBillingName(deps, locationId);
  const location = await loadLocation(deps, locationId);
  if (!location) return;
  const { client_id, name } = location;
  const outdated = { client_id, location_facturation_id: locationId, facturation_name: { $ne: name } };
  for (;;) {
    const found = deps.model.find(outdated, { outbox: 0 }).hint('billing').limit(billingBatchSize);
    const locations = await found.lean<StoredReferential[]>();
    if (locations.length === 0) return;
    for (const one of locations) await saveBillingName(deps, one, name);
  }
}

/** Repeats until the name is right, as another write may come between. */
async function correctOwnBillingName(deps: ChangeDeps, id: string): Promise<void> {
  for (;;) {
    const location = await loadLocation(deps, id);
    const billingId = location?.location_facturation_id ?? null;
    const billing = billingId === null ? null : await loadLocation(deps, billingId);
    if (!location || !billing || billing.name === location.facturation_name) return;
    await saveBillingName(deps, location, billing.name);
  }
}

function loadLocation({ model }: ChangeDeps, id: string) {
  return model.findOne({ _id: id, kind: 'location' }, { outbox: 0 }).lean<Extract<StoredReferential, Location>>();
}

/** Saves the changed name of a location's billing location, with a snapshot event. */
async function saveBillingName(deps: ChangeDeps, location: StoredReferential, name: string): Promise<void> {
  const before = versioned(location);
  const after = { ...before, facturation_name: name, version: before.version + 1 };
  const outbox = await write(deps, { before, after }, null);
  if (outbox) deps.relay.committed(deps.model, location._id, outbox);
}

type How = { inTransaction: boolean; saveResult?: SaveResult<Referential> | null };

/** Saves what `plan` returns with its events; plans again if another write came between. */
function save(deps: ChangeDeps, { inTransaction, saveResult = null }: How, plan: Plan): Promise<Versioned> {
  const planAndWrite = async (session: ClientSession | null) => {
    const planned = await plan(session);
    const outbox = await write(deps, planned, session);
    if (session) await saveResult?.(planned.after, session);
    return { planned, outbox };
  };
  const attempt = async () => {
    const written =
      inTransaction || saveResult ? await deps.connection.transaction(planAndWrite) : await planAndWrite(null);
    const { planned, outbox } = written;
    if (!outbox) return conflict;
    deps.relay.committed(deps.model, planned.after._id, outbox);
    return planned.after;
  };
  return retryOnConflict(attempt, { code: 'referential_busy', what: 'this' });
}

/** Writes state and events together. @returns the events; null if another change came between */
async function write(
  { model, now }: ChangeDeps,
  { before, after }: Planned,
  session: ClientSession | null,
): Promise<DomainEvent[] | null> {
  const outbox = toCloudEvents('ticket', locationSnapshotEvents(before, after, now()));
  const within = session ? { session } : {};
  if (!before) {
    await model.create([{ ...after, words: wordsOfReferential(after), outbox }], within);
    return outbox;
  }
  const filter = { _id: before._id, version: before.version };
  const { modifiedCount } = await model.updateOne(filter, updateTo(before, after, outbox), within);
  return modifiedCount === 1 ? outbox : null;
}

function updateTo(before: Versioned, after: Versioned, outbox: DomainEvent[]) {
  const push = outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {};
  return { $set: { ...changedFields(before, after), words: wordsOfReferential(after) }, ...push };
}

function changedFields(before: Versioned, after: Versioned): Partial<Versioned> {
  const names = Object.keys(after) as (keyof Versioned)[];
  return Object.fromEntries(names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]));
}

async function load({ model }: ChangeDeps, current: Referential, session: ClientSession | null): Promise<Versioned> {
  const live = { _id: current._id, deleted_at: null };
  const stored = await model.findOne(live, { outbox: 0 }, { session }).lean<StoredReferential>();
  if (!stored) throw notFound(current);
  return versioned(stored);
}

export function versioned({ held, outbox, words, ...stored }: StoredReferential): Versioned {
  return stored;
}

/**
 * The location with the current name of its billing location. If that is being renamed at the same time, the event of this
 * write has the name checked once more (`checkBilling`).
 */
async function withBilling({ model }: ChangeDeps, one: Versioned): Promise<Versioned> {
  if (one.kind !== 'location') return one;
  const { location_facturation_id: _id, client_id } = one;
  if (_id === null) return { ...one, facturation_name: null };
  const billing = await model.findOne({ _id, client_id, kind: 'location' }, { name: 1 }).lean<{ name: string }>();
  return { ...one, facturation_name: billing?.name ?? null };
}

type Walk = { current: Referential; parentId: string | null; locked: 'parent' | 'all' };

/**
 * Locks the new parent and all above it by a write to each, so that two moves that together would make a cycle, or a move and a
 * deletion, conflict. A new referential has no children and can make no cycle: only its parent is locked.
 */
async function lockAncestors(
  { model }: ChangeDeps,
  { current, parentId, locked }: Walk,
  session: ClientSession,
): Promise<void> {
  const { _id, client_id, kind } = current;
  const levels = locked === 'all' ? await levelsFrom(model, current, session) : 1;
  let next = parentId;
  for (let depth = levels; next !== null; depth++) {
    if (next === _id) throw badParent(`would put this ${kind} under itself`);
    if (depth >= maxDepth) throw badParent(`is more than ${maxDepth} levels deep`);
    const live: object = { _id: next, client_id, kind, deleted_at: null };
    const step: { parent_id?: string | null } | null =
      locked === 'all' || next === parentId
        ? await model.findOneAndUpdate(live, { $inc: { held: 1 } }, { session }).lean<{ parent_id?: string | null }>()
        : await model.findOne(live, { parent_id: 1 }, { session }).lean<{ parent_id?: string | null }>();
    if (!step) throw badParent(`is no ${kind} of yours`);
    next = step.parent_id ?? null;
  }
}

/**
 * The number of levels of a referential and its descendants. What is added far below at the same time is not seen: the tree
 * may then get a level too deep, which breaks nothing.
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

function notFound({ kind }: Referential): AppError {
  return new AppError('not_found', `${kind}_not_found`, `there is no such ${kind.replace('_', ' ')}`);
}
