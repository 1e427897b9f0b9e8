import type { Worded } from '../words/worded.ts';

/**
 * `enum` has all its values, so that an index may begin with it whatever is asked for. `id`: 24 hexadecimal digits. `flag`: true or
 * false. `date`: a day, stored as `YYYY-MM-DD`. `moment`: stored as a Date. `money`: stored as a number.
 * `number`: another one, which files do not round.
 */
export type ColumnType = 'text' | 'enum' | 'id' | 'date' | 'moment' | 'money' | 'number' | 'flag';

export type Column = {
  /** Where the value is, dotted: in a stored document if the list filters or sorts by it, otherwise in a row of a file. */
  path: string;
  type: ColumnType;
  values?: readonly string[];
  /** What its values are called in a file; a value without a word stays as it is. */
  words?: Readonly<Record<string, Worded>>;
  /** The parameter that filters by this value; by one or more of `values`. */
  equals?: string;
  /** The parameters that filter by a range. `to` is part of it, unless the type is `moment`. */
  from?: string;
  to?: string;
  /** What the parameters are about, for the documentation. */
  about?: string;
  /** The name of an index that finds its values, and belongs to no list. */
  index?: string;
  /** A document may have no value, or null: it sorts before all others. */
  optional?: true;
  /** The column's title in a file; without one, files leave it out. */
  title?: Worded;
};

/**
 * An index on the tenant, then the columns `equal`, then `order`, then the id. `covers`: further columns, so that filters by
 * them are checked in the index.
 */
export type ListIndex = {
  name: string;
  equal?: readonly string[];
  order?: string;
  covers?: readonly string[];
};

/**
 * What a list can be filtered and sorted by, and what its files hold, declared once: the parameters of its operations, its
 * queries and indexes follow from it. It sorts by each column that is the `order` of an index.
 */
export type List = {
  /** The field of a stored document that holds its company. */
  tenant: string;
  columns: Record<string, Column>;
  indexes: readonly ListIndex[];
  /** The field of search words, and its index: the parameter `q` finds by them. */
  words?: { path: string; index: string };
};

/** The values of parameters, by their names; a parameter that was not sent is undefined or absent. */
export type Given = Record<string, unknown>;

export function sortColumns({ indexes }: List): string[] {
  return [...new Set(indexes.flatMap(({ order }) => order ?? []))];
}

/** The fields of each index, to be created under its name. */
export function indexFields(list: List): { name: string; fields: Record<string, 1> }[] {
  const pathOf = (name: string) => columnOf(list, name).path;
  return list.indexes.map(({ name, equal = [], order, covers = [] }) => {
    const before = [...equal, ...(order === undefined ? [] : [order])].map(pathOf);
    const fields = [list.tenant, ...before, '_id', ...covers.map(pathOf)];
    return { name, fields: Object.fromEntries(fields.map((field) => [field, 1] as const)) };
  });
}

/** @throws Error if the list has no such column */
export function columnOf({ columns }: List, name: string): Column {
  const column = columns[name];
  if (!column) throw new Error(`the list has no column ${name}`);
  return column;
}

/** The value at a dotted path; null if there is none. */
export function valueAt(document: object, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value ?? null;
}
