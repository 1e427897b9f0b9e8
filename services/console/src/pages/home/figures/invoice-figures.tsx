import { inLanguage, reasonWords, reviewReasonWords } from '@app/kernel/words';
import { ts } from '../../../api/client.ts';
import { Bars, Numbers, StackedBars } from '../../../components/figures/drawings.tsx';
import { Figure } from '../../../components/figures/figure.tsx';
import { formatDay } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { AmountFigure } from './amount-figure.tsx';
import { amountsBy, byCurrency, largest, namesIn, noCurrency, pivot, sum } from './charts.ts';
import { dayFrom, endOfMonth, monthFrom, weekFrom } from './periods.ts';
import { useTexts } from './texts.ts';
import { useFigure } from './use-figure.ts';

const mostRows = 8;
const weeks = 12;

/** Reasons of invoices that are in the queue; others are in review. */
const ofQueue = ['no_ticket', 'tickets_suggested', 'link_undone', 'review_cleared', 'unlinked'];

export function ToTreat() {
  const texts = useTexts();
  const { language } = useLocale();
  const query = useFigure('to treat', (signal) => ts.GET('/statistics/invoices/to-treat', { signal }));
  const words: Record<string, string> = inLanguage(reasonWords, language);
  return (
    <Figure
      {...texts.toTreat}
      href="/invoices"
      query={query}
      draw={Bars}
      read={({ items }) => {
        const currencies = [...new Set(items.map(({ currency }) => currency))].filter((one) => one !== noCurrency);
        const groups = [...Map.groupBy(items, ({ reason }) => reason)];
        const rows = groups.map(([reason, own]) => ({
          name: words[reason] ?? words['other'] ?? reason,
          href: hrefOf(reason, reason in reviewReasonWords),
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
          { name: texts.names.count, kind: 'count', isDrawn: true } as const,
          ...currencies.map(
            (currency) => ({ name: `${texts.names.amountWithVat}, ${currency}`, kind: 'money', currency }) as const,
          ),
          { name: texts.oldest, kind: 'day' } as const,
        ];
        return [largest({ series, rows }, rows.length)];
      }}
    />
  );
}

function hrefOf(reason: string, isOfReview: boolean): string {
  if (isOfReview) return `/invoices?list=all&reason=${reason}`;
  return `/invoices?list=${ofQueue.includes(reason) ? 'queue' : 'review'}`;
}

export function Due() {
  const texts = useTexts();
  const now = new Date();
  const query = useFigure('due', (signal) =>
    ts.GET('/statistics/invoices/payable', { params: { query: { group_by: ['due'] } }, signal }),
  );
  const list = '/invoices?list=all';
  const { late, in_7_days: soon, in_30_days: later } = texts.dues;
  return (
    <AmountFigure
      words={texts.due}
      query={query}
      keyOf={({ due }) => due}
      draw={Numbers}
      isWithVat
      rows={{
        late: { name: late, href: `${list}&dueTo=${dayFrom(now, -1)}` },
        in_7_days: { name: soon, href: `${list}&dueFrom=${dayFrom(now)}&dueTo=${dayFrom(now, 6)}` },
        in_30_days: { name: later, href: `${list}&dueFrom=${dayFrom(now, 7)}&dueTo=${dayFrom(now, 29)}` },
      }}
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
  const hrefOf = (id: string) =>
    `/invoices?list=all&supplier=${id}&dueFrom=${range.from}&dueTo=${endOfMonth(range.from)}`;
  return (
    <Figure
      {...texts.suppliers}
      query={query}
      draw={Bars}
      read={({ items }) =>
        byCurrency(items, (own, currency) => {
          const keyOf = ({ supplier }: (typeof own)[number]) => supplier ?? '';
          const nameOf = namesIn(own, keyOf);
          return largest(
            amountsBy(own, {
              keyOf,
              rowOf: (id) => (id === '' ? { name: texts.noSupplier } : { name: nameOf(id), href: hrefOf(id) }),
              names: texts.names,
              currency,
              isWithVat: true,
            }),
            mostRows,
          );
        })
      }
    />
  );
}

export function Checks() {
  const texts = useTexts();
  const query = useFigure('checks', (signal) => ts.GET('/statistics/invoices/checks', { signal }));
  const list = '/invoices?list=all';
  const { above_order: above, duplicate, account } = texts.checkNames;
  return (
    <AmountFigure
      words={texts.checks}
      query={query}
      keyOf={({ check }) => check}
      draw={Numbers}
      rows={{
        above_order: { name: above, href: `${list}&flag=over_tolerance` },
        duplicate: { name: duplicate, href: `${list}&reason=duplicate_suspected` },
        account: { name: account, href: `${list}&reason=iban_changed` },
      }}
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
  return (
    <Figure
      {...texts.matched}
      href="/invoices?list=all"
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
        const rows = Array.from({ length: weeks }, (_, week) => weekFrom(now, week + 1 - weeks)).map((week) => ({
          name: formatDay(week, locale),
          href: '/invoices?list=all',
          cells: sums.get(week) ?? columns.map(() => 0),
        }));
        const series = columns.map((one) => ({ name: texts.matchers[one], kind: 'count' as const, isDrawn: true }));
        return [{ series, rows }];
      }}
    />
  );
}
