import { parts as invoiceParts } from '../../../invoice-reconciliation/invoices/invoice-list.ts';
import { parts as ticketParts } from '../../../ticket/statistics/ticket-entries.ts';
import { type Chart, drawnOf, hrefOfCell, leadOf, type Row, sheetOf } from '../../src/components/figures/chart.ts';
import { formatDuration } from '../../src/i18n/format.ts';
import { amountsBy, byCurrency, invoicesIn, pivot, ranked, ticketsIn } from '../../src/pages/home/figures/charts.ts';
import { dayFrom, midnightFrom, monthFrom, weekFrom } from '../../src/pages/home/figures/periods.ts';
import { areGroups, groupsInWords, invoiceFigures, ticketFigures } from '../../src/words/figure-words.ts';

test('items are summed up by row and column, to the cent, and what has no column is left out', () => {
  const item = (place: string, year: string, amount: number) => ({ place, year, amount });
  const items = [item('a', '2026', 0.1), item('a', '2026', 0.2), item('b', '2025', 5), item('b', '2024', 9)];
  const of = {
    row: ({ place }: (typeof items)[0]) => place,
    column: ({ year }: (typeof items)[0]) => year,
    value: ({ amount }: (typeof items)[0]) => amount,
  };
  expect([...pivot(items, of, ['2026', '2025'])]).toEqual([
    ['a', [0.3, 0]],
    ['b', [0, 5]],
  ]);
});

test('each currency has a chart of its own, euros first; invoices that could not be read have none', () => {
  const of = (currency: string) => ({ currency });
  const charts = byCurrency(['CHF', 'XXX', 'EUR', 'CHF'].map(of), (items, currency) => ({
    series: [{ name: currency, kind: 'count' }],
    rows: items.map(() => ({ name: currency, cells: [1] })),
  }));
  expect(charts.map(({ series: [one], rows }) => [one?.name, rows.length])).toEqual([
    ['EUR', 1],
    ['CHF', 2],
  ]);
});

const names = { amount: 'HT', amountWithVat: 'TTC', count: 'Number' };
const owed = (due: string, amount: number) => ({
  due,
  currency: 'EUR',
  amount,
  amount_with_vat: amount * 1.2,
  count: 1,
});

test('amounts of one kind are one row, and the drawn amount comes first', () => {
  const given = {
    keyOf: ({ due }: { due: string }) => due,
    rowOf: (name: string) => ({ name }),
    names,
    currency: 'EUR',
  };
  const items = [owed('late', 5), owed('later', 10), owed('late', 5)];
  const chart = amountsBy(items, { ...given, isWithVat: true });
  expect(chart.rows).toEqual([
    { name: 'late', cells: [12, 10, 2] },
    { name: 'later', cells: [12, 10, 1] },
  ]);
  expect(chart.series.map(({ name }) => name)).toEqual(['TTC', 'HT', 'Number']);
  expect(amountsBy(items, given).rows[0]?.cells).toEqual([10, 12, 2]);
  expect(drawnOf(chart).all).toEqual([12, 12]);
});

test('the largest rows come first', () => {
  const row = (amount: number) => ({ name: String(amount), cells: [amount] });
  expect(ranked({ series: [], rows: [1, 3, 2].map(row) }).rows.map(({ name }) => name)).toEqual(['3', '2', '1']);
});

test('periods are those of statistics: months, weeks from Monday, days in UTC', () => {
  const sunday = new Date('2026-11-29T23:30:00Z');
  expect([dayFrom(sunday), dayFrom(sunday, 2), monthFrom(sunday), monthFrom(sunday, 2)]).toEqual([
    ...['2026-11-29', '2026-12-01', '2026-11-01', '2027-01-01'],
  ]);
  expect([weekFrom(sunday), weekFrom(new Date('2026-11-30T00:00:00Z')), weekFrom(sunday, -1)]).toEqual([
    ...['2026-11-23', '2026-11-30', '2026-11-16'],
  ]);
});

test('a day begins at midnight where the user is, also in the week in which clocks change', () => {
  const now = new Date(2026, 9, 24, 12);
  expect([0, 1, 7].map((days) => midnightFrom(now, days))).toEqual([24, 25, 31].map((day) => new Date(2026, 9, day)));
});

const money = (currency: string) => ({ name: 'Without VAT', kind: 'money', currency }) as const;

test('a figure is a table for spreadsheets: numbers and days as such, with their units', () => {
  const words = { nameOfRows: 'Place', currency: 'Currency' };
  const series = (...currencies: string[]): Chart['series'] => [
    ...currencies.map(money),
    { name: 'Time', kind: 'minutes' },
    { name: 'Oldest', kind: 'day' },
  ];
  const row: Row = { name: 'Roof', cells: [-1234.5, 90, '2026-11-12'] };
  const share: Row = { name: 'On time', kind: 'percent', cells: [2 / 3, 0, null] };
  expect(
    sheetOf(
      [
        { series: series('EUR'), rows: [row] },
        { series: series('CHF'), rows: [share] },
      ],
      words,
    ),
  ).toEqual({
    columns: [
      { title: 'Place', type: 'text' },
      { title: 'Without VAT', type: 'money' },
      { title: 'Time (min)', type: 'number' },
      { title: 'Oldest', type: 'date' },
      { title: 'Currency', type: 'text' },
    ],
    cells: [
      ['Roof', -1234.5, 90, new Date('2026-11-12'), 'EUR'],
      ['On time (%)', 66.7, 0, null, 'CHF'],
    ],
  });
  const several = sheetOf([{ series: series('EUR', 'CHF'), rows: [row] }], words);
  expect(several.columns.map(({ title }) => title)).toEqual([
    ...['Place', 'Without VAT (EUR)', 'Without VAT (CHF)', 'Time (min)', 'Oldest'],
  ]);
});

test('of a row that is known with VAT alone, that amount is said', () => {
  const series = [money('EUR'), { ...money('EUR'), name: 'With VAT' }, { name: 'Number', kind: 'count' } as const];
  const leads = [
    [10, 12, 1],
    [0, 12, 1],
    [0, 0, 1],
  ].map((cells) => leadOf(series, { name: 'Orders', cells }));
  expect(leads).toEqual([0, 1, 0]);
});

test('a duration is said in a unit of which it has more than one', () => {
  expect([45, 90, 210, 2_880].map((minutes) => formatDuration(minutes, 'en-GB'))).toEqual([
    ...['45 mins', '1.5 hrs', '3.5 hrs', '2 days'],
  ]);
});

test('the address of a list says what it counts, of which days, with further filters; what counts nothing has none', () => {
  expect(ticketsIn('uninvoiced.done')).toBe('/tickets?countedIn=uninvoiced.done');
  expect(invoicesIn('payable', { from: '2026-11-01', to: null }, { supplier: '', currency: 'EUR' })).toBe(
    '/invoices?list=all&countedIn=payable&countedFrom=2026-11-01&countedOf=supplier%3A%2Ccurrency%3AEUR',
  );
  const row = { name: 'Open', cells: [0, 2], hrefs: ['/none', '/two'] };
  expect([hrefOfCell(row, 0), hrefOfCell(row, 1), hrefOfCell({ ...row, hrefs: [] }, 1)]).toEqual([
    ...[undefined, '/two', undefined],
  ]);
  expect(hrefOfCell({ name: 'Open', cells: [2], href: '/all' }, 0)).toBe('/all');
});

test('the lists know every figure and part of one that Home counts', () => {
  // Reasons of moves are none for which an invoice waits.
  const unused = /^(open|quotes\.lapsed|work\.proposed|to_treat|payable\.|matched\.(machine|person\..*)$)/;
  const named = (parts: Record<string, readonly string[]>) =>
    Object.entries(parts)
      .flatMap(([figure, own]) => (own.length === 0 ? [figure] : own.map((part) => `${figure}.${part}`)))
      .filter((one) => !unused.test(one));
  expect(Object.keys(ticketFigures)).toEqual(expect.arrayContaining(named(ticketParts)));
  expect(Object.keys(invoiceFigures)).toEqual(expect.arrayContaining(named(invoiceParts)));
});

test('the groups that a list was opened with are said by their names', () => {
  const contractors = [{ id: 'c1', text: 'Fixit' }];
  const given = 'contractor:c1,currency:EUR';
  expect(areGroups(given) && areGroups('place:') && !areGroups('place') && !areGroups('a:b c')).toBe(true);
  expect(groupsInWords(given, 'None', undefined, contractors)).toEqual([{ id: given, text: 'Fixit, EUR' }]);
  expect(groupsInWords('place:', 'None')).toEqual([{ id: 'place:', text: 'None' }]);
  expect(groupsInWords(undefined, 'None')).toEqual([]);
});
