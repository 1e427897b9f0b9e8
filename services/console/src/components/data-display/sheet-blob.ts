import type { Cell, SheetFile } from '@app/http/sheet-file';
import type { ExportFormat } from './export-buttons.tsx';

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
