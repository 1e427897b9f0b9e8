import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, type Column, inLanguage, type List, valueAt } from '@app/kernel';
import type { Response } from 'express';
import { writeCsvStream } from 'hucre/csv';
import { writeXlsxStream } from 'hucre/xlsx';
import Joi from 'joi';

const languages = ['fr', 'en'] as const;
const formats = ['csv', 'xlsx'] as const;
export type SheetQuery = { format: (typeof formats)[number]; language: (typeof languages)[number] };

/** A file has at most so many rows. */
export const maxSheetRows = 100_000;

/** The parameters of a file. */
export const sheetParameters = {
  format: Joi.string()
    .valid(...formats)
    .default('csv'),
  language: Joi.string()
    .valid(...languages)
    .default('en')
    .description(
      'of the titles, and of the words for states, reasons and priorities; it also decides how a CSV writes numbers, and what separates its cells',
    ),
};

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export const sheetTypes = ['text/csv', types.xlsx] as const;

/** Called with the number of rows, counted up to one more than a file has. @throws AppError unprocessable `sheet_too_large` */
export function assertSheetHolds(rows: number): void {
  if (rows <= maxSheetRows) return;
  throw new AppError('unprocessable', 'sheet_too_large', `a file has at most ${maxSheetRows} rows: narrow the filters`);
}

type Sheet = SheetQuery & { list: List; name: string; rows: AsyncIterable<object> };
type Cell = string | number | Date | null;

/**
 * Sends a file with the columns of the list that have a title. Rows are read as fast as the client takes them. If one cannot be read,
 * the connection is cut, so that no part of a file looks like the whole. Resolves once the file is sent or the client has left.
 */
export async function sendSheet(res: Response, sheet: Sheet): Promise<void> {
  const { list, format, language, name } = sheet;
  const columns = Object.values(list.columns).flatMap(({ title, words = {}, ...column }): Titled[] =>
    title === undefined ? [] : [{ ...column, title: title[language], words: inLanguage(words, language) }],
  );
  res.status(200);
  res.setHeader('Content-Type', types[format]);
  res.setHeader('Content-Disposition', `attachment; filename="${name}.${format}"`);
  res.setHeader('Cache-Control', 'private, no-store');
  const bytes = format === 'csv' ? csvOf(columns, sheet) : xlsxOf(columns, sheet);
  const source = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]);
  try {
    await pipeline(source, res);
  } catch (error) {
    // A client that leaves is no failure.
    if (!res.destroyed || (error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

type Titled = Omit<Column, 'title' | 'words'> & { title: string; words: Record<string, string> };

async function* cellsOf(rows: AsyncIterable<object>, columns: readonly Titled[], write: (cell: Cell) => Cell) {
  for await (const row of rows) yield columns.map((column) => write(cellOf(row, column)));
}

function cellOf(row: object, { path, type, words }: Titled): Cell {
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

function xlsxOf(columns: readonly Titled[], { rows, name }: Sheet) {
  const described = columns.map(({ title, type }) => {
    const numFmt = numberFormats[type];
    return { header: title, width: widths[type] ?? 14, ...(numFmt === undefined ? {} : { numFmt }) };
  });
  // Strings are written as such, so that a spreadsheet takes none of them for a formula.
  return writeXlsxStream(
    cellsOf(rows, columns, (cell) => cell),
    {
      name,
      columns: described,
      freezePane: { rows: 1 },
    },
  );
}

/** Spreadsheets know UTF-8 by the mark at the beginning, and take what the decimal separator leaves to separate cells. */
function csvOf(columns: readonly Titled[], { rows, language }: Sheet) {
  const write = (cell: Cell): Cell => {
    if (typeof cell === 'number') return language === 'fr' ? String(cell).replace('.', ',') : String(cell);
    if (cell instanceof Date) return dateText(cell);
    return typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  };
  const headers = columns.map(({ title }) => title);
  const delimiter = language === 'fr' ? ';' : ',';
  return writeCsvStream(withFirst(headers, cellsOf(rows, columns, write)), { bom: true, delimiter, headers: false });
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** A day, or a moment in UTC to the minute, as every spreadsheet reads it. */
function dateText(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 5)}`;
}
