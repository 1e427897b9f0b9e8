import { readEInvoice } from '@app/einvoice';
import { parseSiret, readFrenchVat, readIban } from '@app/kernel';
import { asDocument } from '../../invoices/invoice.ts';
import { fileOf } from '../../invoices/invoice-file.ts';
import { buyer, contractors, digits, otherIban, stranger } from '../plan/people.ts';
import { planInvoices, reasonsOfWeek, waits } from '../plan/plan-invoices.ts';
import { planTickets, statuses } from '../plan/week-plan.ts';

const today = new Date('2026-11-25T00:00:00Z');
const tickets = planTickets();
const invoices = planInvoices(tickets, today);

test('a week is 200 tickets in every status, and the last one is opened', () => {
  expect(tickets).toHaveLength(200);
  expect(new Set(tickets.map(({ reference }) => reference)).size).toBe(200);
  expect([...new Set(tickets.map(({ status }) => status))].sort()).toEqual([...statuses].sort());
  expect(tickets.at(-1)?.status).toBe('opened');
});

test('of 60 invoices 27 wait, as the console counts them, for each reason', () => {
  const of = (...outcomes: string[]) => invoices.filter(({ outcome }) => outcomes.includes(outcome));
  expect(invoices).toHaveLength(60);
  expect(new Set(invoices.map(({ invoice }) => invoice.id)).size).toBe(60);
  const inQueue = of('queue').length;
  const inReview = of('unreadable', 'refused', ...reasonsOfWeek).length;
  expect([inQueue, inReview]).toEqual([15, 12]);
  expect(invoices.filter(waits)).toHaveLength(inQueue + inReview);
  for (const reason of reasonsOfWeek) expect([reason, of(reason).length > 0]).toEqual([reason, true]);
});

test('it is the same week at every start', () => {
  expect(planTickets()).toEqual(tickets);
  expect(planInvoices(planTickets(), today)).toEqual(invoices);
});

test('company numbers, VAT numbers and accounts have right check digits', () => {
  const sirets = [...contractors.map(({ company }) => digits(company.siret)), buyer.siret, stranger.siret];
  expect(sirets.map((siret) => parseSiret(siret).siret)).toEqual(sirets);
  const vatNumbers = [...contractors, buyer].map(({ vatNumber }) => vatNumber);
  expect(vatNumbers.filter((vat) => readFrenchVat(vat)?.siren === undefined)).toEqual([]);
  const ibans = [...contractors.map(({ iban }) => iban), otherIban];
  expect(ibans.filter((iban) => readIban(iban) === null)).toEqual([]);
  expect(new Set(ibans).size).toBe(ibans.length);
});

test('each file is an e-invoice that says what the provider says: Factur-X, CII and UBL', () => {
  const readable = invoices.filter(({ outcome }) => outcome !== 'unreadable');
  for (const { invoice } of readable) {
    const { number, issueDate, dueDate, seller, net, total, lines, order } = asDocument(invoice);
    const read = readEInvoice(fileOf(invoice).bytes);
    expect(read).toMatchObject({ kind: invoice.kind, number, issueDate, dueDate, currency: invoice.currency });
    expect(read.supplier).toMatchObject({
      name: seller.name,
      siren: seller.siren,
      accounts: seller.iban ? [seller.iban] : [],
    });
    expect([read.amounts.ht, read.amounts.ttc]).toEqual([net / 100, total / 100]);
    expect(read.lines.map(({ ht }) => ht)).toEqual(lines.map(({ cents }) => cents / 100));
    expect(read.matchHints.poRef).toBe(order);
  }
  const forms = readable
    .map(({ invoice }) => fileOf(invoice))
    .map(({ type, bytes }) => `${type} ${bytes.includes('<Invoice')}`);
  expect([...new Set(forms)].sort()).toEqual([
    'application/pdf false',
    'application/xml false',
    'application/xml true',
  ]);
});
