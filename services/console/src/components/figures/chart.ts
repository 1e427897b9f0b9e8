import type { Cell as SheetCell, SheetFile } from '@app/http/sheet-file';

/** What a number says; `money` is in the currency of its series. A `day` is `2026-11-12`. */
export type Kind = 'count' | 'money' | 'percent' | 'minutes' | 'day';
export type Series = { name: string; kind: Kind; currency?: string; isDrawn?: boolean };
export type Cell = number | string | null;
/** One bar, column or number, with a cell for each series. `href`: the list behind it; `hrefs`: those behind its cells. */
export type Row = {
  name: string;
  href?: string | undefined;
  hrefs?: readonly (string | undefined)[];
  cells: Cell[];
  kind?: Kind;
  /** The day that its name says in words: `2026-11-12`. */
  day?: string;
};
/** The numbers of one figure, from which its drawing, its table and its file are made. `drawn`: how many rows are drawn, if not all. */
export type Chart = { series: Series[]; rows: Row[]; drawn?: number };

/** Two places may have one name, and two days one list. */
export function keyOf({ name, href = '' }: Row): string {
  return `${name} ${href}`;
}

/** The list behind a cell, by default that of its row; what counts nothing has none. */
export function hrefOfCell({ cells, href, hrefs }: Row, index: number): string | undefined {
  if (!cells[index]) return undefined;
  return hrefs ? hrefs[index] : href;
}

/** The series that are drawn, with the number of each row. */
export function drawnOf({ series, rows }: Chart) {
  const drawn = series.flatMap((one, index) => (one.isDrawn ? [{ ...one, index }] : []));
  return {
    drawn,
    numbersOf: ({ cells }: Row) => drawn.map(({ index }) => Number(cells[index] ?? 0)),
    all: rows.flatMap(({ cells }) => drawn.map(({ index }) => Number(cells[index] ?? 0))),
  };
}

/** The currency of its amounts; '' if they have several or it has none. */
export function currencyOf({ series }: Chart): string {
  const [first, ...others] = new Set(series.flatMap(({ currency }) => currency ?? []));
  return others.length > 0 ? '' : (first ?? '');
}

/** The head of a column: with the currency, if the chart has several. */
export function headOf({ name, currency }: Series, chart: Chart): string {
  return currency !== undefined && currencyOf(chart) === '' ? `${name} (${currency})` : name;
}

/** The number of the series that says most of a row: the first, or if that is nothing, the first with an amount. */
export function leadOf(series: readonly Series[], { cells }: Row): number {
  if (cells[0]) return 0;
  return Math.max(
    0,
    series.findIndex(({ kind }, index) => kind === 'money' && cells[index]),
  );
}

const units: { [K in Kind]?: string } = { minutes: ' (min)', percent: ' (%)' };
const withUnit = (name: string, kind: Kind = 'count') => name + (units[kind] ?? '');

function sheetCell(cell: Cell, kind: Kind | undefined): SheetCell {
  if (kind === 'day' && cell !== null) return new Date(cell);
  return kind === 'percent' && cell !== null ? Math.round(Number(cell) * 1_000) / 10 : cell;
}

/** The charts of a figure as one table, for a file: all rows, with the currency of their amounts. */
export function sheetOf(
  charts: readonly Chart[],
  words: { nameOfRows: string; currency: string },
): { columns: SheetFile['columns']; cells: SheetCell[][] } {
  const [first = { series: [], rows: [] }] = charts;
  const hasCurrency = charts.some((chart) => currencyOf(chart) !== '');
  const types = { money: 'money', day: 'date' } as const;
  const typeOf = (kind: Kind) => types[kind as keyof typeof types] ?? 'number';
  const areDays = first.rows.every(({ day }) => day !== undefined);
  return {
    columns: [
      { title: words.nameOfRows, type: areDays ? 'date' : 'text' },
      ...first.series.map((one) => ({ title: withUnit(headOf(one, first), one.kind), type: typeOf(one.kind) })),
      ...(hasCurrency ? [{ title: words.currency, type: 'text' } as const] : []),
    ],
    cells: charts.flatMap((chart) =>
      chart.rows.map((row) => [
        areDays ? new Date(row.day ?? '') : withUnit(row.name, row.kind),
        ...row.cells.map((cell, index) => sheetCell(cell, row.kind ?? chart.series[index]?.kind)),
        ...(hasCurrency ? [currencyOf(chart)] : []),
      ]),
    ),
  };
}
