import { AppError, withPlainDashes } from '@app/kernel';
import type { CustomField, FieldTarget } from '../referentials/referential.ts';
import { type Csv, type CsvRow, csvFault, shortened } from './csv.ts';
import type { CellChange, CellFault, RowPlan } from './row-plan.ts';

/** What the columns of a file stand for: those that say whose row it is have no field. */
type Columns = Map<string, CustomField>;
type FieldValue = { field_id: string; value: string };
/** Null takes a value away. */
export type SentValue = { field_id: string; value: string | null };

/** What has values of custom fields. */
export type Bearers<Thing> = {
  target: FieldTarget;
  /** The columns that say whose row it is: the first that has a value does. */
  keys: readonly string[];
  all: readonly Thing[];
  /** What stands in such a column for this one. */
  keyOf(thing: Thing, column: string): string | null;
  nameOf(thing: Thing): string;
  valuesOf(thing: Thing): readonly FieldValue[];
  /** With these values. @throws AppError if it takes them not */
  with(thing: Thing, values: SentValue[]): Thing;
};

const maxValueLength = 10_000;

/**
 * What each row does to values of custom fields. A column that is not among the keys is a field, by its id or its name in either language.
 * An empty cell removes the value.
 * @throws ValidationError for a column that is no field
 */
export function planFieldValues<Thing>(
  { columns, rows }: Csv,
  fields: readonly CustomField[],
  bearers: Bearers<Thing>,
): RowPlan<Thing>[] {
  const { target, keys, all, keyOf, nameOf } = bearers;
  const meant = fieldsOf(columns, fields, bearers);
  const index = Map.groupBy(
    all.flatMap((one) => keys.map((key) => ({ key: `${key} ${keyOf(one, key)}`, one }))),
    ({ key }) => key,
  );
  const lines = new Map<Thing, number>();
  return rows.map((row) => {
    const { line, cells } = row;
    const [column, wanted] = keyIn(row, keys);
    const found = index.get(`${column} ${wanted}`) ?? [];
    const [{ one: before } = { one: null }] = found;
    const earlier = before && lines.get(before);
    const faults: CellFault[] = tooLong(row);
    if (found.length > 1) faults.push({ column, message: 'fits several: give the _id' });
    else if (!before) faults.push({ column, message: `is no ${target} of yours` });
    else if (earlier) faults.push({ column, message: `is the same as in line ${earlier}` });
    if (before) lines.set(before, line);
    const name = before ? nameOf(before) : (cells.get('name') ?? wanted);
    if (faults.length > 0 || !before) return { line, name, before: null, after: null, changes: [], faults };
    const { after, changes, refused } = changed(before, row, { meant, bearers });
    if (refused === null) return { line, name, before, after, changes, faults };
    return { line, name, before: null, after: null, changes: [], faults: [{ column, message: refused }] };
  });
}

function fieldsOf(
  columns: readonly string[],
  fields: readonly CustomField[],
  { keys, target: wanted }: Pick<Bearers<never>, 'keys' | 'target'>,
): Columns {
  const meant: Columns = new Map();
  for (const column of columns.filter((one) => !keys.includes(one))) {
    const isMeant = ({ _id, name, target }: CustomField) =>
      (target ?? wanted) === wanted && [_id, name.fr, name.en].includes(column);
    const found = fields.filter(isMeant);
    const [field] = found;
    const said = `has the column “${shortened(column)}”`;
    if (!field) throw csvFault(`${said}, which is no custom field for ${wanted}s`);
    if (found.length > 1) throw csvFault(`${said}, which fits several custom fields: take the _id of one`);
    if ([...meant.values()].includes(field)) throw csvFault(`${said}, whose field has another column, too`);
    meant.set(column, field);
  }
  if (meant.size === 0) throw csvFault(`has no column that is a custom field for ${wanted}s`);
  return meant;
}

/** The column that says whose row it is, and what it says. */
export function keyIn({ cells }: CsvRow, keys: readonly string[]): [column: string, wanted: string] {
  const column = keys.find((key) => (cells.get(key) ?? '') !== '') ?? '_id';
  const cell = cells.get(column) ?? '';
  if (column === 'siret') return [column, cell.replaceAll(/\s/g, '')];
  if (column === '_id') return [column, cell.toLowerCase()];
  return [column, column === 'number' ? withPlainDashes(cell) : cell];
}

function tooLong({ cells }: CsvRow): CellFault[] {
  const message = `length must be less than or equal to ${maxValueLength} characters long`;
  return [...cells].flatMap(([column, cell]) => (cell.length > maxValueLength ? [{ column, message }] : []));
}

type Changed<Thing> = { after: Thing; changes: CellChange[]; refused: string | null };
type Planning<Thing> = { meant: Columns; bearers: Bearers<Thing> };

function changed<Thing>(before: Thing, { cells }: CsvRow, { meant, bearers }: Planning<Thing>): Changed<Thing> {
  const had = new Map(bearers.valuesOf(before).map(({ field_id, value }) => [field_id, value]));
  const changes = [...meant].flatMap(([column, { _id }]) => {
    const value = cells.get(column) || null;
    const former = had.get(_id) ?? null;
    return value === former ? [] : [{ column, before: former, after: value }];
  });
  if (changes.length === 0) return { after: before, changes, refused: null };
  const sent = changes.map(({ column, after: value }) => ({ field_id: meant.get(column)?._id ?? '', value }));
  try {
    return { after: bearers.with(before, sent), changes, refused: null };
  } catch (error) {
    if (error instanceof AppError) return { after: before, changes, refused: error.message };
    throw error;
  }
}
