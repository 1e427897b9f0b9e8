import { changeContractor, type VersionedContractor } from '../contractors/contractor.ts';
import type { CustomField } from '../referentials/referential.ts';
import { type Csv, type CsvRow, csvFault, shortened } from './csv.ts';
import type { CellChange, CellFault, RowPlan } from './row-plan.ts';

/** What the columns of a file stand for: those that say whose row it is have no field. */
type Columns = Map<string, CustomField>;

const keys = ['_id', 'siret', 'name'] as const;
const maxValueLength = 10_000;

/**
 * What each row does to the values of a contractor's custom fields. The first of `_id`, `siret` and `name` that has a value says whose they are; any
 * other column is a field, by its id or its name in either language. An empty cell removes the value.
 * @throws ValidationError for a column that is no field
 */
export function planFieldValues(
  { columns, rows }: Csv,
  fields: readonly CustomField[],
  directory: readonly VersionedContractor[],
): RowPlan<VersionedContractor>[] {
  const meant = fieldsOf(columns, fields);
  const index = Map.groupBy(
    directory.flatMap((one) => keys.map((key) => ({ key: `${key} ${one.contractor[key]}`, one }))),
    ({ key }) => key,
  );
  const lines = new Map<string, number>();
  return rows.map((row) => {
    const { line, cells } = row;
    const [column, wanted] = keyOf(row);
    const found = index.get(`${column} ${wanted}`) ?? [];
    const [{ one: before } = { one: null }] = found;
    const earlier = lines.get(before?.contractor._id ?? '');
    const faults: CellFault[] = tooLong(row);
    if (found.length > 1) faults.push({ column, message: 'fits several: give the _id' });
    else if (!before) faults.push({ column, message: 'is no contractor of yours' });
    else if (earlier) faults.push({ column, message: `is the same as in line ${earlier}` });
    if (before) lines.set(before.contractor._id, line);
    const name = before?.contractor.name ?? cells.get('name') ?? '';
    if (faults.length > 0 || !before) return { line, name, before: null, after: null, changes: [], faults };
    return { line, name, before, ...changed(before, row, meant), faults };
  });
}

function fieldsOf(columns: readonly string[], fields: readonly CustomField[]): Columns {
  const meant: Columns = new Map();
  for (const column of columns.filter((one) => !keys.some((key) => key === one))) {
    const isMeant = ({ _id, name, target }: CustomField) =>
      target !== 'ticket' && [_id, name.fr, name.en].includes(column);
    const found = fields.filter(isMeant);
    const [field] = found;
    const said = `has the column “${shortened(column)}”`;
    if (!field) throw csvFault(`${said}, which is no custom field for contractors`);
    if (found.length > 1) throw csvFault(`${said}, which fits several custom fields: take the _id of one`);
    if ([...meant.values()].includes(field)) throw csvFault(`${said}, whose field has another column, too`);
    meant.set(column, field);
  }
  if (meant.size === 0) throw csvFault('has no column that is a custom field for contractors');
  return meant;
}

function keyOf({ cells }: CsvRow): [column: string, wanted: string] {
  const column = keys.find((key) => (cells.get(key) ?? '') !== '') ?? '_id';
  const cell = cells.get(column) ?? '';
  return [column, column === 'siret' ? cell.replaceAll(/\s/g, '') : column === '_id' ? cell.toLowerCase() : cell];
}

function tooLong({ cells }: CsvRow): CellFault[] {
  const message = `length must be less than or equal to ${maxValueLength} characters long`;
  return [...cells].flatMap(([column, cell]) => (cell.length > maxValueLength ? [{ column, message }] : []));
}

type Changed = { after: VersionedContractor; changes: CellChange[] };

function changed(before: VersionedContractor, { cells }: CsvRow, meant: Columns): Changed {
  const { contractor, version } = before;
  const had = new Map(contractor.fields.map(({ field_id, value }) => [field_id, value]));
  const changes = [...meant].flatMap(([column, { _id }]) => {
    const value = cells.get(column) || null;
    const former = had.get(_id) ?? null;
    return value === former ? [] : [{ column, before: former, after: value }];
  });
  if (changes.length === 0) return { after: before, changes };
  const sent = changes.map(({ column, after: value }) => ({ field_id: meant.get(column)?._id ?? '', value }));
  const { contractor: after } = changeContractor(contractor, { fields: sent }, null);
  return { after: { contractor: after, version: version + 1 }, changes };
}
