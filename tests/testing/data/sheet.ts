import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';

type Cell = string | number | boolean | Date | null;

/** The rows of an XLSX, as a spreadsheet reads its cells. */
export async function rowsOfXlsx(bytes: Buffer): Promise<Cell[][]> {
  return (await readSheet(bytes)) as Cell[][];
}

/** The rows of a CSV, whose mark at the beginning is required. */
export function rowsOfCsv(bytes: Buffer, delimiter: string): string[][] {
  if (!bytes.toString().startsWith('\ufeff')) throw new Error('a spreadsheet would not take it for UTF-8');
  return parse(bytes, { bom: true, delimiter });
}
