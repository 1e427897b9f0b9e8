import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { oneOf } from '@app/contracts';
import { AppError, type Column, inLanguage, type List, valueAt } from '@app/kernel';
import type { Response } from 'express';
import { writeCsvStream } from 'hucre/csv';
import { writeXlsxStream } from 'hucre/xlsx';

const languages = ['fr', 'en'] as const;
const formats = ['csv', 'xlsx'] as const;
export type SheetQuery = { format: (typeof formats)[number]; language: (typeof languages)[number] };

/** A file has at most so many rows. */
export const maxSheetRows = 100_000;
/** So many documents are made ready for a file at once. */
export const sheetPart = 500;

/** The parameters of a file. */
export const sheetParameters = {
  format: oneOf(formats).default('csv'),
  language: oneOf(languages)
    .default('en')
    .description(
      'of the titles, and of the words for states, reasons and priorities; it also decides how a CSV writes numbers, and what separates its cells',
    ),
};

/** The media types of files. */
export const sheetTypeOf = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export const sheetTypes = ['text/csv', sheetTypeOf.xlsx] as const;

/** Called with the number of rows, counted up to one more than a file has. @throws AppError unprocessable `sheet_too_large` */
export function assertSheetHolds(rows: number): void {
  if (rows <= maxSheetRows) return;
  throw new AppError(
    'unprocessable',
    'sheet_too_large',
    `a file has at most ${maxSheetRows} rows: narrow the filters, or have it made in the background by POST /exports`,
  );
}

/** The rows of all parts, each read once those before it are taken. `next`: where the next part begins; null: nowhere. */
export async function* rowsOfParts(read: (after: string | null) => Promise<{ rows: object[]; next: string | null }>) {
  let { rows, next } = await read(null);
  yield* rows;
  while (next !== null) {
    ({ rows, next } = await read(next));
    yield* rows;
  }
}

/** The columns of a list that have a title, in one language. `type` also says how a cell is written. */
export type SheetColumn = Omit<Column, 'title' | 'words'> & { title: string; words: Record<string, string> };
export type Cell = string | number | Date | null;

type Sheet = SheetQuery & { name: string };

export function sheetColumns(list: List, language: SheetQuery['language']): SheetColumn[] {
  return Object.values(list.columns).flatMap(({ title, words = {}, ...column }): SheetColumn[] =>
    title === undefined ? [] : [{ ...column, title: title[language], words: inLanguage(words, language) }],
  );
}

/**
 * Sends a file with the columns of the list that have a title. Rows are read as fast as the client takes them. If one cannot be read,
 * the connection is cut, so that no part of a file looks like the whole. Resolves once the file is sent or the client has left.
 */
export async function sendSheet(
  res: Response,
  { list, rows, ...sheet }: Sheet & { list: List; rows: AsyncIterable<object> },
): Promise<void> {
  const { format, language, name } = sheet;
  const columns = sheetColumns(list, language);
  res.status(200);
  res.setHeader('Content-Type', sheetTypeOf[format]);
  res.setHeader('Content-Disposition', `attachment; filename="${name}.${format}"`);
  res.setHeader('Cache-Control', 'private, no-store');
  try {
    await pipeline(sheetFile(sheet, columns, cellsOf(rows, columns)), res);
  } catch (error) {
    // A client that leaves is no failure.
    if (!res.destroyed || (error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** The bytes of a file. Rows are read as fast as the bytes are taken. */
export function sheetFile({ format, language, name }: Sheet, columns: Titles, cells: AsyncIterable<Cell[]>): Readable {
  const bytes = format === 'csv' ? csvOf(columns, cells, language) : xlsxOf(columns, cells, name);
  return Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]);
}

async function* cellsOf(rows: AsyncIterable<object>, columns: readonly SheetColumn[]) {
  for await (const row of rows) yield columns.map((column) => cellOf(row, column));
}

export function cellOf(row: object, { path, type, words }: SheetColumn): Cell {
  const value = valueAt(row, path);
  if (value === null) return null;
  if (type === 'money') return Number(value);
  if (type === 'date' || type === 'moment') return new Date(value as string | Date);
  return [value]
    .flat()
    .map((one) => (Object.hasOwn(words, String(one)) ? words[String(one)] : String(one)))
    .join(', ');
}

const numberFormats: Partial<Record<Column['type'], string>> = {
  money: '#,##0.00',
  date: 'yyyy-mm-dd',
  moment: 'yyyy-mm-dd hh:mm',
};
const widths: Partial<Record<Column['type'], number>> = { text: 24, id: 26, moment: 18 };

type Titles = readonly Pick<SheetColumn, 'title' | 'type'>[];

function xlsxOf(columns: Titles, cells: AsyncIterable<Cell[]>, name: string) {
  const described = columns.map(({ title, type }) => {
    const numFmt = numberFormats[type];
    return { header: title, width: widths[type] ?? 14, ...(numFmt === undefined ? {} : { numFmt }) };
  });
  // Strings are written as such, so that a spreadsheet takes none of them for a formula.
  return writeXlsxStream(cells, { name, columns: described, freezePane: { rows: 1 } });
}

/** Spreadsheets know UTF-8 by the mark at the beginning, and take what the decimal separator leaves to separate cells. */
function csvOf(columns: Titles, cells: AsyncIterable<Cell[]>, language: SheetQuery['language']) {
  const write = (cell: Cell): Cell => {
    if (typeof cell === 'number') return language === 'fr' ? String(cell).replace('.', ',') : String(cell);
    if (cell instanceof Date) return dateText(cell);
    return typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  };
  async function* lines() {
    yield columns.map(({ title }) => title);
    for await (const row of cells) yield row.map(write);
  }
  return writeCsvStream(lines(), { bom: true, delimiter: language === 'fr' ? ';' : ',', headers: false });
}

/** A day, or a moment in UTC to the minute, as every spreadsheet reads it. */
function dateText(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 5)}`;
}
