import { beginningWith, wordsSearched } from '../search-words.ts';
import { type Column, columnOf, type Given, type List, type ListIndex, sortColumns, valueAt } from './list.ts';

type Filter = Record<string, unknown>;

export type Sort = { by: string; descending: boolean };

/** Where a page ended: the value that the list is sorted by, and the id. */
export type Position = { value: string | number | Date | null; id: string };

/** A condition that no column declares. `index`: the index that finds its documents. */
export type Condition = { filter: Filter; index?: string };

export type ListQuery = { given: Given; sort: Sort; conditions?: readonly Condition[] };

/**
 * A query of MongoDB. The index `hint` has the documents in their order, and reading it is quick if many of them match. `others`
 * find those of one condition: if one of them finds few, it is quicker to read these and to sort them.
 */
export type Plan = {
  filter: Filter;
  sort: Record<string, 1 | -1>;
  hint: string;
  others: readonly { filter: Filter; hint: string }[];
};

/** The plan of a list of one company. */
export function listPlan(
  list: List,
  company: string,
  { given, sort, after, conditions: further = [] }: ListQuery & { after?: Position | null },
): Plan {
  const text = list.words && given['q'];
  const conditions = [...further, ...(list.words && typeof text === 'string' ? withWords(text, list.words) : [])];
  const tenant = { [list.tenant]: company };
  const { path, optional = false } = columnOf(list, sort.by);
  const index = orderedIndex(list, sort.by, given);
  const direction = sort.descending ? -1 : 1;
  const declared = Object.entries(list.columns).flatMap(([name, column]) => {
    const own = filterOf(column, given) ?? (index.equal?.includes(name) ? anyOf(column) : null);
    return own === null ? [] : [{ name, filter: { [column.path]: own } }];
  });
  const served = [...(index.equal ?? []), index.order, ...(index.covers ?? [])];
  const found = declared.flatMap(({ name, filter }) => {
    const beginning = list.indexes.find((one) => beginsWith(one, name))?.name;
    const hint = served.includes(name) ? undefined : (columnOf(list, name).index ?? beginning);
    return hint === undefined ? [] : [{ filter: { ...tenant, ...filter }, hint }];
  });
  const stated = conditions.flatMap(({ filter, index: hint }) =>
    hint === undefined ? [] : [{ filter: { ...tenant, ...filter }, hint }],
  );
  const all = [...declared, ...conditions].map(({ filter }) => filter);
  const position = after ? [afterPosition({ path, optional, ...sort }, after)] : [];
  return {
    filter: { ...tenant, ...(all.length + position.length > 0 && { $and: [...all, ...position] }) },
    sort: { [path]: direction, _id: direction },
    hint: index.name,
    others: [...stated, ...found],
  };
}

/** Conditions of a list: all words of the text are found. `index`: that of the field of words. */
export function withWords(text: string, { path, index }: { path: string; index: string }): Condition[] {
  const words = wordsSearched(text);
  if (words.length === 0) return [{ filter: { _id: { $in: [] } }, index: '_id_' }];
  return words.map((word, n) => ({ filter: { [path]: beginningWith(word) }, ...(n === 0 ? { index } : {}) }));
}

/** The position of a document in a list. */
export function positionOf(list: List, { by }: Pick<Sort, 'by'>, document: { _id: string }): Position {
  return { value: valueAt(document, columnOf(list, by).path) as Position['value'], id: document._id };
}

/** The position as a text, for the sort that it belongs to. */
export function encodePosition({ by, descending }: Sort, { value, id }: Position): string {
  const stored = value instanceof Date ? { ms: value.getTime() } : value;
  return Buffer.from(JSON.stringify([by, descending, stored, id])).toString('base64url');
}

/** The position in a text of `encodePosition`; null if it is none, or one of another sort. */
export function decodePosition(list: List, sort: Sort, text: string): Position | null {
  try {
    const [by, descending, stored, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const value = columnOf(list, sort.by).type === 'moment' ? dateIn(stored) : stored;
    const isValue = value === null || value instanceof Date || typeof value === 'string' || typeof value === 'number';
    if (by !== sort.by || descending !== sort.descending || typeof id !== 'string' || !isValue) return null;
    return { value, id };
  } catch {
    return null;
  }
}

/** @throws RangeError if it is no date */
function dateIn(stored: unknown): Date | null {
  if (stored === null) return null;
  const date = new Date((stored as { ms: number }).ms);
  date.toISOString();
  return date;
}

/** The index in the order of this column, with the most columns that are filtered by. @throws Error if there is none */
function orderedIndex(list: List, by: string, given: Given): ListIndex {
  const isKnown = (name: string) => {
    const column = columnOf(list, name);
    return column.type === 'enum' || (column.equals !== undefined && given[column.equals] !== undefined);
  };
  const [best] = list.indexes
    .filter(({ order, equal = [] }) => order === by && equal.every(isKnown))
    .sort((one, other) => (other.equal?.length ?? 0) - (one.equal?.length ?? 0));
  if (!best) throw new Error(`the list sorts by ${sortColumns(list).join(', ')}, and not by ${by}`);
  return best;
}

/** With every value named, MongoDB merges the branches of an index, and need not sort. */
function anyOf({ values = [] }: Column): Filter {
  return { $in: [...values] };
}

function beginsWith({ equal = [], order }: ListIndex, name: string): boolean {
  return (equal[0] ?? order) === name;
}

function filterOf({ type, equals, from, to }: Column, given: Given): unknown {
  const wanted = equals === undefined ? undefined : given[equals];
  if (wanted !== undefined) return Array.isArray(wanted) ? { $in: wanted } : wanted;
  const [least, most] = [from, to].map((name) => (name === undefined ? undefined : given[name]));
  if (least === undefined && most === undefined) return null;
  return {
    ...(least === undefined ? {} : { $gte: least }),
    ...(most === undefined ? {} : { [type === 'moment' ? '$lt' : '$lte']: most }),
  };
}

type Place = { path: string; optional: boolean; descending: boolean };

/**
 * One range of the index, and a condition that excludes what the pages before have of its first value. Null sorts first, and no
 * comparison with a value finds it.
 */
function afterPosition({ path, optional, descending }: Place, { value, id }: Position): Filter {
  const further = { $or: [{ [path]: { $ne: value } }, { _id: { [descending ? '$lt' : '$gt']: id } }] };
  if (!descending) return value === null ? further : { [path]: { $gte: value }, ...further };
  if (value === null) return { [path]: null, _id: { $lt: id } };
  return { [path]: optional ? { $not: { $gt: value } } : { $lte: value }, ...further };
}
