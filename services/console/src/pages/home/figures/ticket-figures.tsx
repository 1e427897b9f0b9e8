import { ts } from '../../../api/client.ts';
import type { Chart } from '../../../components/figures/chart.ts';
import { Bars, Columns, Numbers, StackedBars } from '../../../components/figures/drawings.tsx';
import { Figure } from '../../../components/figures/figure.tsx';
import { formatMonth, formatWeekday } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useSession } from '../../../session/session.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { AmountFigure } from './amount-figure.tsx';
import { byCurrency, mostDrawn, namesIn, pivot, ranked, ticketsIn } from './charts.ts';
import { dayFrom, monthFrom } from './periods.ts';
import { useTexts } from './texts.ts';
import { useFigure } from './use-figure.ts';

/** The first day and the day after the last one of each class of age, as days from today. */
const ages = { '0-2': [-2, 1], '3-7': [-7, -2], '8-30': [-30, -7], '31-90': [-90, -30], '91-': [null, -90] } as const;
const ageNames = Object.keys(ages) as (keyof typeof ages)[];

export function Open() {
  const texts = useTexts();
  const { language } = useLocale();
  const now = new Date();
  const hrefsOf = (status: string) =>
    Object.values(ages).map(([from, to]) => {
      const days = { from: from === null ? null : dayFrom(now, from), to: dayFrom(now, to) };
      return `${ticketsIn('open', days)}&status=${status}`;
    });
  const query = useFigure('open', (signal) =>
    ts.GET('/statistics/tickets/open', { params: { query: { group_by: ['age'] } }, signal }),
  );
  return (
    <Figure
      {...texts.open}
      href={ticketsIn('open')}
      query={query}
      draw={StackedBars}
      rows={6}
      read={({ items }) => {
        const of = { row: pick('status'), column: pick('age'), value: countOf };
        const sums = pivot(items, of, ageNames);
        const rows = Object.entries(ticketStatuses).flatMap(([status, words]) => {
          const cells = sums.get(status);
          return cells
            ? [{ name: words[language], href: `/tickets?status=${status}`, hrefs: hrefsOf(status), cells }]
            : [];
        });
        return [{ series: ageNames.map((age) => ({ name: texts.ages[age], kind: 'count', isDrawn: true })), rows }];
      }}
    />
  );
}

const countOf = ({ count }: { count: number }) => count;

const pick =
  <Name extends string>(name: Name) =>
  (item: { [N in Name]?: string | null | undefined }) =>
    item[name] ?? '';

/** This year and the last one, as the columns of a chart. */
function yearsOf(now: Date): string[] {
  return [now.getUTCFullYear(), now.getUTCFullYear() - 1].map(String);
}

const newYear = '-01-01';
const daysOf = (year: string) => ({ from: year + newYear, to: Number(year) + 1 + newYear });

type Spent = { period?: string | null; amount: number };
const yearOf = ({ period }: Spent) => (period ?? '').slice(0, 4);
const monthOf = ({ period }: Spent) => (period ?? '').slice(5, 7);
const amountOf = ({ amount }: Spent) => amount;

const isInvoiced = ({ kind }: { kind: string }) => kind === 'invoiced';

const yearly = (years: readonly string[], currency: string) =>
  years.map((name) => ({ name, kind: 'money', currency, isDrawn: true }) as const);

/** This year and last, by month: two cards are made of it. */
const useCommitments = () =>
  useFigure('commitments', (signal) =>
    ts.GET('/statistics/tickets/commitments', { params: { query: { group_by: ['month'] } }, signal }),
  );

export function SpendByMonth() {
  const texts = useTexts();
  const { locale } = useLocale();
  const now = new Date();
  const years = yearsOf(now);
  const query = useCommitments();
  const months = Array.from({ length: 12 }, (_, month) => `${years[0]}-${String(month + 1).padStart(2, '0')}-01`);
  const hrefsOf = (day: string, currency: string) =>
    years.map((year) => {
      const from = `${year}${day.slice(4)}`;
      return ticketsIn('invoiced', { from, to: monthFrom(new Date(from), 1) }, { currency });
    });
  return (
    <Figure
      {...texts.spendByMonth}
      href={ticketsIn('invoiced', { from: years[1] + newYear })}
      isWide
      query={query}
      draw={Columns}
      read={({ items }) =>
        byCurrency(items.filter(isInvoiced), (own, currency) => {
          const sums = pivot(own, { row: monthOf, column: yearOf, value: amountOf }, years);
          const rows = months.map((day) => {
            const [cells, hrefs] = [sums.get(day.slice(5, 7)) ?? [0, 0], hrefsOf(day, currency)];
            return { name: formatMonth(day, locale), href: hrefs.find((_, year) => cells[year]), hrefs, cells };
          });
          return { series: yearly(years, currency), rows };
        })
      }
    />
  );
}

export function SpendByPlace() {
  const texts = useTexts();
  const years = yearsOf(new Date());
  const query = useFigure('spend by place', (signal) =>
    ts.GET('/statistics/tickets/spend', { params: { query: { group_by: ['place', 'month'] } }, signal }),
  );
  return (
    <Figure
      {...texts.spendByPlace}
      href={ticketsIn('invoiced', { from: years[1] + newYear })}
      isWide
      query={query}
      draw={Bars}
      read={({ items }) =>
        byCurrency(items, (own, currency) => {
          const of = { row: pick('place'), column: yearOf, value: amountOf };
          const nameOf = namesIn(own, of.row);
          const rows = [...pivot(own, of, years)].map(([place, cells]) => ({
            name: place === '' ? texts.noPlace : nameOf(place),
            href: ticketsIn('invoiced', { from: years[1] + newYear }, { place, currency }),
            hrefs: years.map((year) => ticketsIn('invoiced', daysOf(year), { place, currency })),
            cells,
          }));
          return ranked({ series: yearly(years, currency), rows });
        })
      }
    />
  );
}

export function Commitments() {
  const texts = useTexts();
  const [year = ''] = yearsOf(new Date());
  const query = useCommitments();
  return (
    <AmountFigure
      words={texts.commitments}
      query={query}
      keyOf={(item) => (yearOf(item) === year ? item.kind : '')}
      draw={Bars}
      rows={texts.kinds}
      hrefOf={(kind, { currency }) => ticketsIn(kind, daysOf(year), { currency })}
    />
  );
}

export function Planned() {
  const texts = useTexts();
  const { locale } = useLocale();
  const now = new Date();
  const query = useFigure('planned', (signal) =>
    ts.GET('/statistics/tickets/planned', { params: { query: { group_by: ['day'] } }, signal }),
  );
  const categories = ['visit', 'intervention'] as const;
  return (
    <Figure
      {...texts.planned}
      href={ticketsIn('planned', { from: dayFrom(now), to: dayFrom(now, 7) })}
      query={query}
      draw={StackedBars}
      rows={7}
      read={({ items }) => {
        if (items.length === 0) return [];
        const of = { row: pick('period'), column: pick('category'), value: countOf };
        const sums = pivot(items, of, categories);
        const rows = Array.from({ length: 7 }, (_, later) => {
          const [day, to] = [dayFrom(now, later), dayFrom(now, later + 1)];
          const hrefs = categories.map((one) => ticketsIn(`planned.${one}`, { from: day, to }));
          const href = ticketsIn('planned', { from: day, to });
          return { name: formatWeekday(day, locale), day, href, hrefs, cells: sums.get(day) ?? [0, 0] };
        });
        return [
          { series: categories.map((one) => ({ name: texts.categories[one], kind: 'count', isDrawn: true })), rows },
        ];
      }}
    />
  );
}

export function Contractors() {
  const texts = useTexts();
  const query = useFigure('contractors', (signal) =>
    ts.GET('/statistics/tickets/contractors', { params: { query: { group_by: ['contractor'], limit: 50 } }, signal }),
  );
  const times = { minutes_to_accept: 'accepted', minutes_to_visit: 'visited', minutes_to_finish: 'finished' } as const;
  const counts = { missed: 'missed', declined: 'declined' } as const;
  const all = { ...times, ...counts };
  return (
    <Figure
      {...texts.contractors}
      isWide
      href="/directory"
      query={query}
      read={({ items, ...range }): Chart[] => [
        {
          series: [
            ...keysOf(times).map((one) => ({ name: texts.work[one], kind: 'minutes' as const })),
            ...keysOf(counts).map((one) => ({ name: texts.work[one], kind: 'count' as const })),
          ],
          rows: items.map(({ contractor = '', name, ...item }) => ({
            name: name ?? '–',
            href: `/tickets?contractor=${contractor}`,
            hrefs: Object.values(all).map((event) => ticketsIn(`work.${event}`, range, { contractor })),
            cells: keysOf(all).map((one) => item[one]),
          })),
        },
      ]}
    />
  );
}

const results = ['in_time', 'late'] as const;

/** The deadlines that were kept, and those that were missed: the groups with most of them first. */
export function Deadlines({ by }: { by: 'contractor' | 'place' | 'client' }) {
  const texts = useTexts();
  const query = useFigure(`deadlines by ${by}`, (signal) =>
    ts.GET('/statistics/tickets/deadlines', { params: { query: { group_by: [by] } }, signal }),
  );
  const from = monthFrom(new Date(), -2);
  const hrefOf = (figure: string, group: string) => ticketsIn(figure, { from }, { [by]: group });
  return (
    <Figure
      {...texts.deadlines[by]}
      {...texts.deadlinesSay}
      href={ticketsIn('deadlines', { from })}
      query={query}
      draw={StackedBars}
      rows={mostDrawn}
      read={({ items }) => {
        const of = { row: pick(by), column: pick('result'), value: countOf };
        const nameOf = namesIn(items, of.row);
        const sums = [...pivot(items, of, results)].sort(([, one], [, other]) => total(other) - total(one));
        const rows = sums.map(([group, cells]) => ({
          name: group === '' ? texts.noGroup : nameOf(group),
          href: hrefOf('deadlines', group),
          hrefs: results.map((result) => hrefOf(`deadlines.${result}`, group)),
          cells,
        }));
        const series = results.map((one) => ({ name: texts.results[one], kind: 'count', isDrawn: true }) as const);
        return [{ series, rows, drawn: mostDrawn }];
      }}
    />
  );
}

const keysOf = <Name extends string>(of: Record<Name, unknown>) => Object.keys(of) as Name[];

const total = (cells: readonly number[]) => cells.reduce((sum, cell) => sum + cell, 0);

/** What is to be invoiced: a client sets it aside at the month's end, a contractor asks for it. */
export function Uninvoiced() {
  const texts = useTexts();
  const isClient = useSession().company.kind === 'client';
  const query = useFigure('uninvoiced', (signal) => ts.GET('/statistics/tickets/uninvoiced', { signal }));
  return (
    <AmountFigure
      words={isClient ? texts.accruals : texts.toInvoice}
      query={query}
      keyOf={pick('state')}
      draw={Numbers}
      rows={texts.workStates}
      hrefOf={(state) => (isClient ? `/accruals?state=${state}` : ticketsIn(`uninvoiced.${state}`))}
    />
  );
}
