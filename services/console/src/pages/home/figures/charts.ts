import type { Chart, Row, Series } from '../../../components/figures/chart.ts';

/** Items as statistics have them: the parts that charts add up. */
type Counted = { count: number };
export type Amounts = Counted & { currency?: string; amount: number; amount_with_vat: number };

type Days = { from?: string | null | undefined; to?: string | null | undefined };
type Groups = Record<string, string>;

/** Addresses of a list of what counts in a figure, or in a part of it: of these days, `to` not included, and in these groups, `''` for none. */
const addressesOf =
  (list: string) =>
  (countedIn: string, { from, to }: Days = {}, groups: Groups = {}): string => {
    const days = { ...(from && { countedFrom: from }), ...(to && { countedTo: to }) };
    const countedOf = Object.entries(groups).map((one) => one.join(':'));
    const of = countedOf.length > 0 && { countedOf: countedOf.join() };
    return `${list}${new URLSearchParams({ countedIn, ...days, ...of })}`;
  };
export const ticketsIn = addressesOf('/tickets?');
export const invoicesIn = addressesOf('/invoices?list=all&');

/** Sums by row and column, in the order in which rows come. */
export function pivot<Item>(
  items: readonly Item[],
  of: { row: (item: Item) => string; column: (item: Item) => string; value: (item: Item) => number },
  columns: readonly string[],
): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const item of items) {
    const sums = rows.get(of.row(item)) ?? columns.map(() => 0);
    rows.set(of.row(item), sums);
    const place = columns.indexOf(of.column(item));
    // Sums of cents in binary numbers: what is past the cent is an error.
    if (place >= 0) sums[place] = Math.round(((sums[place] ?? 0) + of.value(item)) * 100) / 100;
  }
  return rows;
}

/** What the groups of items are called, by their ids; `–` for one that is gone. */
export function namesIn<Item extends { name?: string | null }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (key: string) => string {
  const names = new Map(items.map((item) => [keyOf(item), item.name]));
  return (key) => names.get(key) ?? '–';
}

/** One chart for each currency, euros first, also for items without one: amounts of different ones are never compared. */
export function byCurrency<Item extends { currency?: string }>(
  items: readonly Item[],
  chartOf: (items: Item[], currency: string) => Chart,
): Chart[] {
  const groups = [...Map.groupBy(items, ({ currency = 'EUR' }) => currency)];
  const isEuro = (currency: string) => (currency === 'EUR' ? 0 : 1);
  return groups
    .filter(([currency]) => currency !== noCurrency)
    .sort(([one], [other]) => isEuro(one) - isEuro(other) || one.localeCompare(other))
    .map(([currency, own]) => chartOf(own, currency));
}

/** Of invoices that could not be read. */
export const noCurrency = 'XXX';

export type Names = { amount: string; amountWithVat: string; count: string };

/** Amounts and counts of what `keyOf` tells apart; `isWithVat` says which amount is drawn. */
export function amountsBy<Item extends Amounts>(
  items: readonly Item[],
  { keyOf, rowOf, names, currency, isWithVat = false }: AmountsBy<Item>,
): Chart {
  const money = (name: string, isDrawn: boolean): Series => ({ name, kind: 'money', currency, isDrawn });
  const groups = Map.groupBy(items, keyOf);
  const rows = [...groups].map(([key, own]) => {
    const [ht, ttc, count] = [sum(own, 'amount'), sum(own, 'amount_with_vat'), sum(own, 'count')];
    return { ...rowOf(key), cells: isWithVat ? [ttc, ht, count] : [ht, ttc, count] };
  });
  const [drawn, other] = isWithVat ? [names.amountWithVat, names.amount] : [names.amount, names.amountWithVat];
  return { series: [money(drawn, true), money(other, false), { name: names.count, kind: 'count' }], rows };
}

type AmountsBy<Item> = {
  keyOf: (item: Item) => string;
  rowOf: (key: string) => Omit<Row, 'cells'>;
  names: Names;
  currency: string;
  isWithVat?: boolean;
};

export function sum<Name extends string>(items: readonly Record<Name, number>[], name: Name): number {
  return Math.round(items.reduce((total, item) => total + item[name], 0) * 100) / 100;
}

/** Of groups without an order of their own so many are drawn. */
export const mostDrawn = 8;

/** The rows with the largest first cells first. */
export function ranked({ series, rows }: Chart): Chart {
  const sorted = rows.toSorted(({ cells: [one] }, { cells: [other] }) => Number(other) - Number(one));
  return { series, rows: sorted, drawn: mostDrawn };
}
