import { inLanguage, reasonWords } from '@app/kernel/words';
import { ts } from '../../../api/client.ts';
import { Bars, Numbers, StackedBars } from '../../../components/figures/drawings.tsx';
import { Figure } from '../../../components/figures/figure.tsx';
import { formatDay } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { AmountFigure } from './amount-figure.tsx';
import { amountsBy, byCurrency, invoicesIn, namesIn, noCurrency, pivot, ranked, sum } from './charts.ts';
import { dayFrom, monthFrom, weekFrom } from './periods.ts';
import { useTexts } from './texts.ts';
import { useFigure } from './use-figure.ts';

const weeks = 12;
/** What has no due date counts on this day. */
const noDay = '9999-12-31';

export function ToTreat() {
  const texts = useTexts();
  const { language } = useLocale();
  const query = useFigure('to treat', (signal) => ts.GET('/statistics/invoices/to-treat', { signal }));
  const words: Record<string, string> = inLanguage(reasonWords, language);
  return (
    <Figure
      {...texts.toTreat}
      isWide
      href={invoicesIn('to_treat')}
      query={query}
      read={({ items }) => {
        const currencies = [...new Set(items.map(({ currency }) => currency))].filter((one) => one !== noCurrency);
        const groups = [...Map.groupBy(items, ({ reason }) => reason)];
        const rows = groups.map(([reason, own]) => ({
          name: words[reason] ?? words['other'] ?? reason,
          href: invoicesIn(`to_treat.${reason}`),
          cells: [
            sum(own, 'count'),
            ...currencies.map((currency) =>
              sum(
                own.filter((item) => item.currency === currency),
                'amount_with_vat',
              ),
            ),
            own.flatMap(({ oldest }) => oldest ?? []).sort()[0] ?? null,
          ],
        }));
        const series = [
          { name: texts.names.count, kind: 'count' } as const,
          ...currencies.map((currency) => ({ name: texts.names.amountWithVat, kind: 'money', currency }) as const),
          { name: texts.oldest, kind: 'day' } as const,
        ];
        return [ranked({ series, rows })];
      }}
    />
  );
}

export function Due() {
  const texts = useTexts();
  const now = new Date();
  const query = useFigure('due', (signal) =>
    ts.GET('/statistics/invoices/payable', { params: { query: { group_by: ['due'] } }, signal }),
  );
  const days: Record<string, { from?: string; to?: string }> = {
    late: { to: dayFrom(now) },
    in_7_days: { from: dayFrom(now), to: dayFrom(now, 7) },
    in_30_days: { from: dayFrom(now, 7), to: dayFrom(now, 30) },
    later: { from: dayFrom(now, 30), to: noDay },
    undated: { from: noDay },
  };
  return (
    <AmountFigure
      words={texts.due}
      query={query}
      keyOf={({ due }) => due}
      draw={Numbers}
      isWithVat
      rows={texts.dues}
      hrefOf={(due, { currency }) => invoicesIn('payable', days[due], { currency })}
    />
  );
}

export function Suppliers() {
  const texts = useTexts();
  const now = new Date();
  const range = { from: monthFrom(now), to: monthFrom(now, 1) };
  const query = useFigure('suppliers', (signal) =>
    ts.GET('/statistics/invoices/payable', { params: { query: { group_by: ['supplier'], ...range } }, signal }),
  );
  return (
    <Figure
      {...texts.suppliers}
      href={invoicesIn('payable', range)}
      query={query}
      draw={Bars}
      read={({ items }) =>
        byCurrency(items, (own, currency) => {
          const keyOf = ({ supplier }: (typeof own)[number]) => supplier ?? '';
          const nameOf = namesIn(own, keyOf);
          return ranked(
            amountsBy(own, {
              keyOf,
              rowOf: (id) => ({
                name: id === '' ? texts.noSupplier : nameOf(id),
                href: invoicesIn('payable', range, { supplier: id, currency }),
              }),
              names: texts.names,
              currency,
              isWithVat: true,
            }),
          );
        })
      }
    />
  );
}

export function Checks() {
  const texts = useTexts();
  const query = useFigure('checks', (signal) => ts.GET('/statistics/invoices/checks', { signal }));
  return (
    <AmountFigure
      words={texts.checks}
      query={query}
      keyOf={({ check }) => check}
      draw={Numbers}
      rows={texts.checkNames}
      hrefOf={(check, { currency }) => invoicesIn(`checks.${check}`, {}, { currency })}
    />
  );
}

export function Matched() {
  const texts = useTexts();
  const { locale } = useLocale();
  const now = new Date();
  const range = { from: weekFrom(now, 1 - weeks), to: weekFrom(now, 1) };
  const query = useFigure('matched', (signal) =>
    ts.GET('/statistics/invoices/matched', { params: { query: { group_by: ['week'], ...range } }, signal }),
  );
  const columns = ['machine', 'person', 'corrected'] as const;
  const parts = ['machine.kept', 'person', 'machine.corrected'];
  return (
    <Figure
      {...texts.matched}
      href={invoicesIn('matched', range)}
      query={query}
      draw={StackedBars}
      rows={weeks}
      read={({ items }) => {
        if (items.length === 0) return [];
        // What a person corrected was placed by itself, and is told apart from what stayed.
        const of = {
          row: ({ period }: { period?: string | null }) => period ?? '',
          column: ({ by, outcome }: { by: string; outcome: string }) =>
            by === 'machine' && outcome === 'corrected' ? 'corrected' : by,
          value: ({ count }: { count: number }) => count,
        };
        const sums = pivot(items, of, columns);
        const rows = Array.from({ length: weeks }, (_, week) => {
          const days = { from: weekFrom(now, week + 1 - weeks), to: weekFrom(now, week + 2 - weeks) };
          return {
            name: formatDay(days.from, locale),
            day: days.from,
            href: invoicesIn('matched', days),
            hrefs: parts.map((part) => invoicesIn(`matched.${part}`, days)),
            cells: sums.get(days.from) ?? columns.map(() => 0),
          };
        });
        const series = columns.map((one) => ({ name: texts.matchers[one], kind: 'count' as const, isDrawn: true }));
        return [{ series, rows }];
      }}
    />
  );
}
