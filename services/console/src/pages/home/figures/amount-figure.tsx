import { type Drawing, Figure, type Query } from '../../../components/figures/figure.tsx';
import { type Amounts, amountsBy, byCurrency } from './charts.ts';
import { useTexts } from './texts.ts';

type Props<Item> = {
  words: { title: string; says: string; nameOfRows: string; empty: string };
  query: Query<{ items: Item[]; from: string | null; to: string | null }>;
  keyOf: (item: Item) => string | undefined;
  /** What is shown, by the key of its items and in this order. */
  rows: Record<string, string>;
  /** The list behind a row. */
  hrefOf: (key: string, of: { currency: string; from: string | null; to: string | null }) => string | undefined;
  draw: Drawing;
  isWithVat?: boolean;
};

/** Amounts of a few known kinds: one row for each. */
export function AmountFigure<Item extends Amounts>({ words, query, rows, hrefOf, draw, ...given }: Props<Item>) {
  const { names } = useTexts();
  const keys = Object.keys(rows);
  const keyOf = (item: Item) => given.keyOf(item) ?? '';
  return (
    <Figure
      {...words}
      query={query}
      draw={draw}
      rows={keys.length}
      read={({ items, ...days }) => {
        const shown = keys.flatMap((key) => items.filter((item) => keyOf(item) === key));
        return byCurrency(shown, (own, currency) =>
          amountsBy(own, {
            ...given,
            keyOf,
            rowOf: (key) => ({ name: rows[key] ?? key, href: hrefOf(key, { ...days, currency }) }),
            names,
            currency,
          }),
        );
      }}
    />
  );
}
