import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { oneOf } from '@app/contracts';
import { AppError, type Column, inLanguage, type List, valueAt } from '@app/kernel';
import type { Response } from 'express';
import { type Cell, type SheetFile, sheetFile, sheetFormats, sheetTypeOf } from './sheet-file.ts';

const languages = ['fr', 'en'] as const;
export type SheetQuery = Pick<SheetFile, 'format' | 'language'>;

/** A file has at most so many rows. */
export const maxSheetRows = 100_000;
/** So many documents are made ready for a file at once. */
export const sheetPart = 500;

/** The parameters of a file. */
export const sheetParameters = {
  format: oneOf(sheetFormats).default('csv'),
  language: oneOf(languages)
    .default('en')
    .description(
      'of the titles, and of the words for states, reasons and priorities; it also decides how a CSV writes numbers, and what separates its cells',
    ),
};

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

/** The columns of a list that have a title, in one language. */
export type SheetColumn = Omit<Column, 'title' | 'words'> & { title: string; words: Record<string, string> };

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
  { list, rows, ...sheet }: SheetQuery & { name: string; list: List; rows: AsyncIterable<object> },
): Promise<void> {
  const { format, language, name } = sheet;
  const columns = sheetColumns(list, language);
  res.status(200);
  res.setHeader('Content-Type', sheetTypeOf[format]);
  res.setHeader('Content-Disposition', `attachment; filename="${name}.${format}"`);
  res.setHeader('Cache-Control', 'private, no-store');
  try {
    await pipeline(sheetStream({ ...sheet, columns }, cellsOf(rows, columns)), res);
  } catch (error) {
    // A client that leaves is no failure.
    if (!res.destroyed || (error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

export function sheetStream(sheet: SheetFile, cells: AsyncIterable<Cell[]>): Readable {
  return Readable.fromWeb(sheetFile(sheet, cells) as Parameters<typeof Readable.fromWeb>[0]);
}

async function* cellsOf(rows: AsyncIterable<object>, columns: readonly SheetColumn[]) {
  for await (const row of rows) yield columns.map((column) => cellOf(row, column));
}

export function cellOf(row: object, { path, type, words }: SheetColumn): Cell {
  const value = valueAt(row, path);
  if (value === null) return null;
  if (type === 'money' || type === 'number') return Number(value);
  if (type === 'date' || type === 'moment') return new Date(value as string | Date);
  return [value]
    .flat()
    .map((one) => (Object.hasOwn(words, String(one)) ? words[String(one)] : String(one)))
    .join(', ');
}
