import type { Versioned } from '../referentials/location-snapshot.ts';
import {
  type Address,
  changesOf,
  createReferential,
  type EquipmentFacts,
  maxDepth,
  type ReferentialInput,
} from '../referentials/referential.ts';
import { factColumns } from '../referentials/referential-lists.ts';
import type { CellChange, CellFault, RowPlan } from './row-plan.ts';

export type EntryKind = 'location' | 'equipment';
export type Entry = Extract<Versioned, { kind: EntryKind }>;

/** A row as it was read. What is undefined has no column; `links` are an `_id`, a reference or a name each. */
export type EntryRow = {
  line: number;
  id: string | null;
  input: { name?: string; reference?: string | null; address?: Partial<Address> } & Partial<
    Omit<EquipmentFacts, 'location_id'>
  >;
  links: { parent_id?: string | null; location_facturation_id?: string | null; location_id?: string | null };
  faults: CellFault[];
};

/** `locked`: the entries, and places of equipment, that must not move or go before this is saved. */
export type EntriesPlan = { rows: RowPlan<Entry>[]; locked: string[] };

type Target = { client_id: string; kind: EntryKind };

/**
 * What each row does, given the client's entries of this kind, and its places for equipment. A row is about the entry that its `_id` says, else its reference,
 * else its name, with the parent and the place if the row has them: names such as "Boiler" come once a building. If there is none, it is a new one, whose
 * id is `line 12` until it is saved. A row may name what a line above it makes.
 */
export function planEntries(
  target: Target,
  rows: readonly EntryRow[],
  { live, places = [] }: { live: readonly Entry[]; places?: readonly Entry[] },
): EntriesPlan {
  const index = new EntryIndex(live);
  const lines = new Map<string, number>();
  const planning = { target, index, places: new EntryIndex(places), lines };
  const planned = rows.map((row) => {
    const plan = planRow(planning, row);
    if (plan.after) {
      index.put(plan.after, plan.before);
      lines.set(plan.after._id, row.line);
    }
    return plan;
  });
  const locked = checkTree(planned, index);
  for (const { before, after } of planned) {
    nameBilling(before, after, index);
    if (after?.kind === 'equipment' && after !== before && after.location_id) locked.add(after.location_id);
  }
  return { rows: planned, locked: [...locked] };
}

type Planning = { target: Target; index: EntryIndex; places: EntryIndex; lines: Map<string, number> };

function planRow({ target, index, places, lines }: Planning, row: EntryRow): RowPlan<Entry> {
  const { line, input } = row;
  const faults = [...row.faults];
  const links = resolveLinks(row, { index, places }, faults);
  const before = faults.length === 0 ? findEntry(target, { row, links, index }, faults) : null;
  const earlier = before && lines.get(before._id);
  if (earlier) faults.push({ column: keyOf(row), message: `is the same as in line ${earlier}` });
  if (before && links.location_facturation_id === before._id)
    faults.push({ column: 'location_facturation', message: `names the ${target.kind} itself` });
  if (!before && input.name === undefined && faults.length === 0)
    faults.push({ column: 'name', message: 'is required' });
  if (faults.length > 0)
    return { line, name: input.name ?? before?.name ?? '', before: null, after: null, changes: [], faults };
  const changed = changedBy(row, links, before);
  const identity = { ...target, _id: `line ${line}` };
  const after = (
    before
      ? { ...before, ...changed, version: before.version + 1 }
      : { ...createReferential(identity, changed), version: 1 }
  ) as Entry;
  const changes = differences(before, after, { index, places });
  return { line, name: after.name, before, after: before && changes.length === 0 ? before : after, changes, faults };
}

/** The entries by what a cell may call them. */
class EntryIndex {
  readonly byId = new Map<string, Entry>();
  readonly #called = new Map<string, Set<string>>();

  constructor(live: readonly Entry[]) {
    for (const entry of live) this.put(entry, null);
  }

  put(entry: Entry, before: Entry | null): void {
    for (const name of before ? namesOf(before) : []) this.#called.get(name)?.delete(entry._id);
    for (const name of namesOf(entry)) this.#called.set(name, (this.#called.get(name) ?? new Set()).add(entry._id));
    this.byId.set(entry._id, entry);
  }

  called(by: 'reference' | 'name', text: string): Entry[] {
    return [...(this.#called.get(`${by} ${text}`) ?? [])].map((id) => this.byId.get(id) as Entry);
  }
}

function namesOf(entry: Entry): string[] {
  const reference = 'reference' in entry ? entry.reference : null;
  return [`name ${entry.name}`, ...(reference === null ? [] : [`reference ${reference}`])];
}

const several = 'fits several: give the _id';

type Indexes = { index: EntryIndex; places: EntryIndex };

function resolveLinks({ id, links }: EntryRow, { index, places }: Indexes, faults: CellFault[]): EntryRow['links'] {
  const had: EntryRow['links'] = index.byId.get(id ?? '') ?? {};
  const resolved = Object.entries(links).map(([field, text]): [string, string | null] => {
    const among = field === 'location_id' ? places : index;
    const known = text === null ? null : among.byId.get(text.toLowerCase());
    if (text === null || known) return [field, known?._id ?? null];
    // What it named already may be deleted since.
    if (text === had[field as keyof typeof links]) return [field, text];
    const referred = among.called('reference', text);
    const found = referred.length > 0 ? referred : among.called('name', text);
    const missing = among === index ? 'is neither on your list nor in a line above' : 'is no location of yours';
    const message = found.length > 1 ? several : missing;
    if (found.length !== 1) faults.push({ column: field.replace('_id', ''), message });
    return [field, found[0]?._id ?? null];
  });
  return Object.fromEntries(resolved);
}

type Search = { row: EntryRow; links: EntryRow['links']; index: EntryIndex };

function findEntry({ kind }: Target, { row, links, index }: Search, faults: CellFault[]): Entry | null {
  const { id, input } = row;
  if (id !== null) {
    const found = index.byId.get(id) ?? null;
    if (!found) faults.push({ column: '_id', message: `is no ${kind} of yours` });
    return found;
  }
  const referred = input.reference == null ? [] : index.called('reference', input.reference);
  const found = referred.length > 0 ? referred : index.called('name', input.name ?? '').filter(fits);
  if (found.length > 1) faults.push({ column: keyOf(row), message: several });
  return found[0] ?? null;

  function fits(entry: Entry): boolean {
    const isBelow = links.parent_id === undefined || entry.parent_id === links.parent_id;
    const place = entry.kind === 'equipment' ? (entry.location_id ?? null) : null;
    const inPlace = isBelow && (links.location_id === undefined || place === null || place === links.location_id);
    return inPlace && (input.reference == null || !('reference' in entry) || entry.reference === null);
  }
}

function keyOf({ id, input }: EntryRow): string {
  if (id !== null) return '_id';
  return input.reference == null ? 'name' : 'reference';
}

function changedBy({ input }: EntryRow, links: EntryRow['links'], before: Entry | null): ReferentialInput {
  const { address: parts, ...rest } = input;
  if (!parts) return { ...rest, ...links };
  const had = before && 'address' in before ? before.address : null;
  const { address } = changesOf({ address: { ...had, ...parts } });
  const isEmpty = Object.values(address ?? {}).every((part) => part === null);
  return { ...rest, ...links, address: isEmpty ? null : (address as Address) };
}

function differences(before: Entry | null, after: Entry, indexes: Indexes): CellChange[] {
  const [had, has] = [before ? shownCells(before, indexes) : new Map<string, Cell>(), shownCells(after, indexes)];
  return [...has].flatMap(([column, cell]) => {
    const former = had.get(column) ?? { value: null, text: null };
    return former.value === cell.value ? [] : [{ column, before: former.text, after: cell.text }];
  });
}

type Cell = { value: unknown; text: string | null };

/** By column; a link is shown by the name of what it names. */
function shownCells(entry: Entry, { index, places }: Indexes): Map<string, Cell> {
  const link = (id: string | null, { byId } = index) => ({ value: id, text: id && (byId.get(id)?.name ?? id) });
  // A file has neither empty texts nor blanks around them, and one kind of line end.
  const plain = (value: string | number | null) => ({
    value: typeof value === 'string' ? value.replaceAll(/\r\n?/g, '\n').trim() || null : value,
    text: value === null ? null : String(value),
  });
  const cells = new Map<string, Cell>([['name', plain(entry.name)]]);
  if (entry.kind === 'location') cells.set('reference', plain(entry.reference));
  cells.set('parent', link(entry.parent_id));
  if (entry.kind === 'equipment') {
    cells.set('location', link(entry.location_id ?? null, places));
    for (const column of factColumns) cells.set(column, plain(entry[column] ?? null));
    return cells;
  }
  cells.set('location_facturation', link(entry.location_facturation_id));
  for (const [column, value] of Object.entries(entry.address ?? changesOf({ address: {} }).address ?? {}))
    cells.set(column, plain(value as string | number | null));
  return cells;
}

/** Adds the faults of parents that would make a circle or too deep a tree. @returns the entries above all that moves */
function checkTree(rows: RowPlan<Entry>[], { byId }: EntryIndex): Set<string> {
  const heightOf = heights(byId);
  const above = new Set<string>();
  for (const row of rows) {
    const { before, after } = row;
    if (!after || (before?.parent_id ?? null) === after.parent_id) continue;
    const path: string[] = [];
    for (let next = after.parent_id; next !== null && path.length <= maxDepth; next = byId.get(next)?.parent_id ?? null)
      path.push(next);
    for (const id of path) above.add(id);
    const isDeep = path.length + heightOf(after._id) > maxDepth;
    if (!path.includes(after._id) && !isDeep) continue;
    const what = path.includes(after._id)
      ? `would put this ${after.kind} under itself`
      : `is more than ${maxDepth} levels deep`;
    Object.assign(row, { after: null, faults: [{ column: 'parent', message: what }] });
  }
  return above;
}

/** How many levels an entry and what is below it take; more than are allowed count as one more than that. */
function heights(byId: Map<string, Entry>): (id: string) => number {
  const children = new Map<string, string[]>();
  for (const { _id, parent_id } of byId.values())
    if (parent_id !== null) children.set(parent_id, [...(children.get(parent_id) ?? []), _id]);
  const known = new Map<string, number>();
  const heightOf = (id: string, level = 0): number => {
    if (level > maxDepth) return 1;
    const found = known.get(id);
    if (found !== undefined) return found;
    const below = (children.get(id) ?? []).map((child) => heightOf(child, level + 1));
    const height = 1 + below.reduce((highest, one) => Math.max(highest, one), 0);
    known.set(id, height);
    return height;
  };
  return heightOf;
}

/** The name of the billing location in the event of a location, as a single change writes it. */
function nameBilling(before: Entry | null, after: Entry | null, { byId }: EntryIndex): void {
  if (after?.kind !== 'location' || after === before) return;
  const { location_facturation_id: id } = after;
  if (before?.kind === 'location' && before.location_facturation_id === id) return;
  after.facturation_name = id === null ? null : (byId.get(id)?.name ?? null);
}
