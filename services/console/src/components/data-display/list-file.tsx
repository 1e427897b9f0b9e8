import type { Cell, SheetTitle } from '@app/http/sheet-file';
import type { ComponentProps } from 'react';
import type { DataColumn } from './data-table.tsx';
import { ExportButtons, type ExportFormat } from './export-buttons.tsx';
import { sheetBlob } from './sheet-blob.ts';

type Props<Item> = Pick<ComponentProps<typeof ExportButtons>, 'name' | 'of'> & {
  columns: DataColumn<Item>[];
  read: () => Promise<readonly Item[]>;
};

/** The files of a list that no service exports: what the columns of its table say, of all its items. */
export function ListFile<Item>({ columns, read, ...list }: Props<Item>) {
  const shown = columns.filter(({ kind, inFile }) => kind !== 'actions' && inFile !== null);
  const fileOf = async (format: ExportFormat) => {
    const cells = (await read()).map((item) => shown.map((column) => cellOf(column, item)));
    const titles = shown.map(({ title }, index) =>
      titleOf(
        title,
        cells.map((row) => row[index]),
      ),
    );
    return sheetBlob(format, { name: list.name, columns: titles }, cells);
  };
  return <ExportButtons {...list} read={fileOf} />;
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

/** The page shows moments in the user's time zone; a file has them in UTC, as those of services. */
function titleOf(title: string, cells: (Cell | undefined)[]): SheetTitle {
  if (cells.some((cell) => cell instanceof Date)) return { title: `${title} (UTC)`, type: 'moment' };
  return { title, type: cells.some((cell) => typeof cell === 'number') ? 'number' : 'text' };
}
