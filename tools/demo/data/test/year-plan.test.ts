import { planYear, planYearInvoices } from '../plan/year-plan.ts';

const today = new Date('2026-11-25T00:00:00Z');
const tickets = planYear(today);
const invoices = planYearInvoices(tickets);
const dayMs = 86_400_000;

test('with the week a year is 3,000 tickets and 1,500 invoices, each with a number of its own, the same at every start', () => {
  expect(tickets.length + 200).toBe(3_000);
  expect(invoices.length + 60).toBe(1_500);
  expect(new Set(tickets.map(({ plan }) => plan.reference)).size).toBe(tickets.length);
  expect(new Set(invoices.map(({ invoice }) => invoice.id)).size).toBe(invoices.length);
  expect(new Set(invoices.map(({ invoice }) => invoice.number)).size).toBe(invoices.length);
  expect(planYear(today)).toEqual(tickets);
});

test('heating is for winter, cooling for summer, and all of it is over before the week', () => {
  const monthsOf = (title: string) =>
    tickets.filter(({ plan }) => plan.title.startsWith(title)).map(({ at }) => at.getUTCMonth());
  const isIn = (months: number[], ...wanted: number[]) => months.filter((month) => wanted.includes(month)).length;
  const [heating, cooling] = [monthsOf('Chauffage en panne'), monthsOf('Climatisation qui goutte')];
  expect(isIn(heating, 11, 0, 1)).toBeGreaterThan(5 * isIn(heating, 5, 6, 7));
  expect(isIn(cooling, 5, 6, 7)).toBeGreaterThan(5 * isIn(cooling, 11, 0, 1));
  for (const { at, days } of tickets) expect(at.getTime() + 16 * days * dayMs).toBeLessThanOrEqual(today.getTime());
  for (const { invoice } of invoices) expect(Date.parse(invoice.issueDate ?? '')).toBeLessThanOrEqual(today.getTime());
});

test('credit notes follow the invoices that they correct, and some invoices have no reference', () => {
  const numbers = invoices.map(({ invoice }) => invoice.number);
  const creditNotes = invoices.filter(({ invoice }) => invoice.kind === 'credit_note');
  expect(creditNotes).toHaveLength(45);
  for (const { invoice } of creditNotes)
    expect(numbers.indexOf(invoice.preceding ?? '')).toBe(numbers.indexOf(invoice.number) - 1);
  expect(invoices.filter(({ becomes }) => becomes === 'linked').length).toBeGreaterThan(100);
});

test('most invoices are paid some weeks after they came, a credit note with its invoice, and some never', () => {
  for (const { invoice, paidAfter } of invoices.filter(({ invoice }) => invoice.kind === 'credit_note'))
    expect([invoice.id, paidAfter]).toEqual([
      invoice.id,
      invoices.find((one) => one.invoice.number === invoice.preceding)?.paidAfter,
    ]);
  const paid = invoices.flatMap(({ paidAfter }) => paidAfter ?? []);
  expect([Math.min(...paid), Math.max(...paid)]).toEqual([24, 35]);
  expect(paid.length / invoices.length).toBeCloseTo(10 / 11, 1);
});
