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
};
/** The numbers of one figure, from which its drawing, its table and its file are made. */
export type Chart = { series: Series[]; rows: Row[] };

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

/** As a file for spreadsheets, with the separators that they expect in the language. */
export function csvOf({ series, rows }: Chart, nameOfRows: string, language: 'en' | 'fr'): string {
  const [separator, point] = language === 'fr' ? [';', ','] : [',', '.'];
  const textOf = (cell: Cell) => (typeof cell === 'number' ? String(cell).replace('.', point) : quoted(cell ?? ''));
  const heads = series.map(({ name, currency }) => quoted(currency ? `${name} (${currency})` : name));
  const lines = rows.map(({ name, cells }) => [quoted(name), ...cells.map(textOf)]);
  return `${[[quoted(nameOfRows), ...heads], ...lines].map((line) => line.join(separator)).join('\r\n')}\r\n`;
}

/** A spreadsheet would run a text that begins like a formula. */
function quoted(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}
