import type { Cell, SheetFile, SheetTitle } from '@app/http/sheet-file';
import type { DataColumn } from './data-table.tsx';
import { ExportButtons, type ExportFormat } from './export-buttons.tsx';

type Props<Item> = { name: string; columns: DataColumn<Item>[]; read: () => Promise<readonly Item[]> };

/** The files of a list that no service exports: what the columns of its table say, of all its items. */
export function ListFile<Item>({ name, columns, read }: Props<Item>) {
  const shown = columns.filter(({ kind, inFile }) => kind !== 'actions' && inFile !== null);
  const fileOf = async (format: ExportFormat) => {
    const cells = (await read()).map((item) => shown.map((column) => cellOf(column, item)));
    const titles = shown.map(({ title }, index) => ({ title, type: typeOf(cells.map((row) => row[index])) }));
    return sheetBlob(format, { name, columns: titles }, cells);
  };
  return <ExportButtons name={name} read={fileOf} />;
}

/** A moment of the API for `inFile`. */
export function momentOf(at: string | null): Date | null {
  return at === null ? null : new Date(at);
}

function cellOf<Item>({ cell, inFile }: DataColumn<Item>, item: Item): Cell {
  if (inFile) return inFile(item);
  const shown = cell(item);
  return typeof shown === 'string' || typeof shown === 'number' ? shown : null;
}

function typeOf(cells: (Cell | undefined)[]): SheetTitle['type'] {
  if (cells.some((cell) => cell instanceof Date)) return 'moment';
  return cells.some((cell) => typeof cell === 'number') ? 'number' : 'text';
}

/** A file that the page makes by itself. What writes it is loaded only now. */
export async function sheetBlob(
  { format, language }: ExportFormat,
  sheet: Pick<SheetFile, 'name' | 'columns'>,
  cells: Cell[][],
): Promise<Blob> {
  const { sheetFile, sheetTypeOf } = await import('@app/http/sheet-file');
  const file = sheetFile({ format, language, ...sheet }, cells);
  return new Response(file, { headers: { 'Content-Type': sheetTypeOf[format] } }).blob();
}
