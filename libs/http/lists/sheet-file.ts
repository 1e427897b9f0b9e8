import type { Column } from '@app/kernel';
import { writeCsvStream } from 'hucre/csv';
import { writeXlsxStream } from 'hucre/xlsx';

export const sheetFormats = ['csv', 'xlsx'] as const;
/** The media types of files. */
export const sheetTypeOf = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export type Cell = string | number | Date | null;
/** `type` says how cells are written, and how wide the column is. */
export type SheetTitle = { title: string; type: Column['type'] };
/** `name`: of the sheet in the file. `language` decides how a CSV writes numbers, and what separates its cells. */
export type SheetFile = {
  format: (typeof sheetFormats)[number];
  language: 'fr' | 'en';
  name: string;
  columns: readonly SheetTitle[];
};
type Cells = Iterable<Cell[]> | AsyncIterable<Cell[]>;

/** The bytes of a file for spreadsheets, of a service or of a page. Rows are read as fast as the bytes are taken. */
export function sheetFile({ format, language, name, columns }: SheetFile, cells: Cells): ReadableStream<Uint8Array> {
  return format === 'csv' ? csvOf(columns, cells, language) : xlsxOf(columns, cells, name);
}

const numberFormats: Partial<Record<Column['type'], string>> = {
  money: '#,##0.00',
  date: 'yyyy-mm-dd',
  moment: 'yyyy-mm-dd hh:mm',
};
const widths: Partial<Record<Column['type'], number>> = { text: 24, id: 26, moment: 18 };

function xlsxOf(columns: readonly SheetTitle[], cells: Cells, name: string) {
  const described = columns.map(({ title, type }) => {
    const numFmt = numberFormats[type];
    return { header: title, width: widths[type] ?? 14, ...(numFmt === undefined ? {} : { numFmt }) };
  });
  // Excel opens no file with these in the name of a sheet, nor with a longer one.
  const allowed = name.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, 31);
  // Strings are written as such, so that a spreadsheet takes none of them for a formula.
  return writeXlsxStream(cells, { name: allowed, columns: described, freezePane: { rows: 1 } });
}

/** What a spreadsheet takes for a formula, and what would be taken for such a text behind its apostrophe. */
const formula = /^'*[=+\-@\t\r]/;

/** The text of a cell that `csvOf` may have written with an apostrophe before it. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}

/** Spreadsheets know UTF-8 by the mark at the beginning, and take what the decimal separator leaves to separate cells. */
function csvOf(columns: readonly SheetTitle[], cells: Cells, language: SheetFile['language']) {
  const write = (cell: Cell): Cell => {
    if (typeof cell === 'number') return language === 'fr' ? String(cell).replace('.', ',') : String(cell);
    if (cell instanceof Date) return dateText(cell);
    return typeof cell === 'string' && formula.test(cell) ? `'${cell}` : cell;
  };
  async function* lines() {
    yield columns.map(({ title }) => write(title));
    for await (const row of cells) yield row.map(write);
  }
  return writeCsvStream(lines(), { bom: true, delimiter: language === 'fr' ? ';' : ',', headers: false });
}

/** A day, or a moment in UTC to the minute, as every spreadsheet reads it. */
function dateText(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 5)}`;
}
