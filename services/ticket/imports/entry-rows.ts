import { bodyOptions } from '@app/http';
import Joi from 'joi';
import { kinds } from '../referentials/referential-kinds.ts';
import { factColumns, importColumns } from '../referentials/referential-lists.ts';
import { type Csv, type CsvRow, csvFault, shortened } from './csv.ts';
import type { EntryKind, EntryRow } from './entry-plan.ts';

const linkOf: Record<string, keyof EntryRow['links']> = {
  parent: 'parent_id',
  location_facturation: 'location_facturation_id',
  location: 'location_id',
};

/** So many rows with faults suffice to see that a file is not what it should be; each fault costs time. */
const maxFaulty = 100;

/** The rows of a file, each checked as a request is; those behind a hundred with faults are left out. @throws ValidationError */
export function entryRows(kind: EntryKind, { columns, rows }: Csv): EntryRow[] {
  const known = importColumns(kind);
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined) throw csvFault(`has the column “${shortened(unknown)}”; it may have ${known.join(', ')}`);
  const schema = schemaOf(kind);
  const read: EntryRow[] = [];
  for (let faulty = 0; faulty < maxFaulty && read.length < rows.length; ) {
    const row = entryRow(schema, rows[read.length] as CsvRow);
    if (row.faults.length > 0) faulty += 1;
    read.push(row);
  }
  return read;
}

function schemaOf(kind: EntryKind): Joi.ObjectSchema {
  const fields = Object.entries(kinds.find((row) => row.kind === kind)?.body ?? {});
  const read = fields.filter(([field]) => ['name', 'reference', 'address', ...factColumns].includes(field));
  return Joi.object(Object.fromEntries(read));
}

function entryRow(schema: Joi.ObjectSchema, { line, cells }: CsvRow): EntryRow {
  const row: EntryRow = { line, id: null, input: {}, links: {}, faults: [] };
  const address: Record<string, unknown> = {};
  for (const [column, cell] of cells) {
    const link = linkOf[column];
    const text = cell === '' ? null : cell;
    if (column === '_id') row.id = text?.toLowerCase() ?? null;
    else if (link) row.links[link] = text;
    else if (column === 'name') row.input.name = cell;
    else if (isPlain(column)) row.input[column] = text;
    else address[column] = column === 'lat' || column === 'lng' ? decimal(text) : text;
  }
  if (Object.keys(address).length > 0) row.input.address = address;
  const details = schema.validate(row.input, bodyOptions).error?.details ?? [];
  // One fault a cell: the last says best what is wanted.
  const byColumn = new Map(
    details.map(({ path, message }) => [String(path.at(-1)), message.replace(`${path.join('.')} `, '')]),
  );
  row.faults = [...byColumn].map(([column, message]) => ({ column, message }));
  return row;
}

function isPlain(column: string): column is 'reference' | (typeof factColumns)[number] {
  return column === 'reference' || factColumns.some((fact) => fact === column);
}

/** With a point or a comma; what is no number stays as it is, and is a fault. */
function decimal(text: string | null): number | string | null {
  return text !== null && /^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}
