import { compare, gapOf, markOf, signalsOfLink, sumOf } from '../../src/pages/invoices/rules/comparison.ts';
import { aChoice, anInvoice, aSignal } from './invoices.ts';

test.each([
  ['the same', 100, 100, 'equal'],
  ['a rounding', 100.02, 100, 'equal'],
  ['up to 5', 105, 100, 'close'],
  ['up to 2 %', 1020, 1000, 'close'],
  ['below by as much', 980, 1000, 'close'],
  ['under 10 %', 1099, 1000, 'near'],
  ['10 % and more above', 1100, 1000, 'far'],
  ['far below, which may be a part', 400, 1000, 'below'],
] as const)('a gap has a level: %s', (_, invoiced, compared, level) => {
  expect(gapOf(invoiced, compared)?.level).toBe(level);
});

test('a gap is counted in cents', () => {
  expect(gapOf(0.3, 0.1)).toEqual({ difference: 0.2, share: 2, level: 'close' });
  expect(gapOf(5, 0)).toBeNull();
});

test('the amount is compared with what matching compared, with VAT if it did', () => {
  const values = { level: 'near', invoiced: 1481.47, compared: 1400, withVat: true, remaining: true } as const;
  const { amount } = compare(anInvoice(), aChoice({ signals: [aSignal('amount', 8, values)] }));
  expect(amount).toMatchObject({
    invoice: 1481.47,
    ticket: 1400,
    withVat: true,
    remaining: true,
    gap: { level: 'near' },
  });
});

test('without that it is compared with the orders, else with the validated quotes', () => {
  const orders = [
    { reference: 'BC-1', amount: 1000, includesVat: false },
    { reference: 'BC-2', amount: 234.56, includesVat: false },
  ];
  const quotes = [
    { reference: 'D-1', price: 900, includesVat: false, status: 'validated' as const },
    { reference: 'D-2', price: 70, includesVat: true, status: 'pending' as const },
  ];
  expect(compare(anInvoice(), aChoice({ orders, quotes })).amount).toMatchObject({
    ticket: 1234.56,
    gap: { level: 'equal' },
  });
  expect(compare(anInvoice(), aChoice({ quotes })).amount?.ticket).toBe(900);
  expect(compare(anInvoice(), aChoice()).amount).toMatchObject({ ticket: null, gap: null });
});

test('other invoices leave a part of what was ordered', () => {
  const orders = [{ reference: 'BC-1', amount: 1481.47, includesVat: true }];
  const invoiced = [{ invoiceId: 'i', number: '', ht: 300, ttc: 360 }];
  expect(compare(anInvoice(), aChoice({ orders, invoiced })).amount).toMatchObject({
    ticket: 1121.47,
    remaining: true,
    gap: { difference: 360, level: 'far' },
  });
  const rest = [{ ...invoiced[0], ht: 1300, ttc: 1481.47 }] as typeof invoiced;
  expect(compare(anInvoice(), aChoice({ orders, invoiced: rest })).amount).toMatchObject({ ticket: 0, gap: null });
});

test('an order with VAT is compared with the total; amounts with VAT and without are not added up', () => {
  const order = { reference: 'BC-1', amount: 1481.47, includesVat: true };
  expect(compare(anInvoice(), aChoice({ orders: [order] })).amount).toMatchObject({
    invoice: 1481.47,
    ticket: 1481.47,
    withVat: true,
    gap: { level: 'equal' },
  });
  const orders = [order, { ...order, includesVat: false }];
  expect(compare(anInvoice(), aChoice({ orders })).amount).toMatchObject({ ticket: null, gap: null });
});

test('francs are not compared with euros, nor a credit note with an order', () => {
  const choice = aChoice({ orders: [{ reference: 'BC-1', amount: 1234.56, includesVat: false }] });
  expect(compare(anInvoice({ currency: 'CHF' }), choice).amount).toMatchObject({ ticket: 1234.56, gap: null });
  const amounts = { ht: -100, tva: -20, ttc: -120 };
  expect(compare(anInvoice({ amounts }), choice).amount).toMatchObject({ invoice: -100, gap: null });
});

type Move = Parameters<typeof signalsOfLink>[0]['history'][number];
const moved = (to: Move['to'], signals: Move['signals'] = []): Move => ({
  at: '2026-11-16T08:00:00Z',
  from: null,
  to,
  reason: null,
  reasonCodes: [],
  signals,
  by: null,
});
const matched = moved('ticket_matched', [aSignal('reference', 50), aSignal('amount', 25)]);

test('why an invoice is on its ticket: what matching found, but not of amounts that have changed since', () => {
  const { reasonCodes } = anInvoice();
  const codes = (signals: Move['signals'] | null) => signals?.map(({ code }) => code) ?? null;
  expect(codes(signalsOfLink({ history: [matched, moved('done')], reasonCodes }))).toEqual(['reference', 'amount']);
  const changed = [{ code: 'changed_after_link' as const, values: {} }];
  expect(codes(signalsOfLink({ history: [matched], reasonCodes: changed }))).toEqual(['reference']);
});

test('of a link that a person made nothing is known, whatever was found for an earlier ticket', () => {
  const history = [matched, moved('ticket_unmatched'), moved('linked'), moved('done')];
  expect(signalsOfLink({ history, reasonCodes: [] })).toBeNull();
});

test('the reference that agrees is shown as each side writes it', () => {
  const signals = [aSignal('reference', 50, { kind: 'order', held: 'BC-2026-0042', written: 'BC 2026 0042' })];
  const { reference } = compare(anInvoice(), aChoice({ signals }));
  expect(reference).toEqual({ invoice: 'BC 2026 0042', ticket: 'BC-2026-0042' });
  const matchHints = { poRef: 'BC-9', ticketRef: null, orderRef: null };
  const other = compare(
    anInvoice({ matchHints }),
    aChoice({ orders: [{ reference: 'BC-1', amount: null, includesVat: false }] }),
  );
  expect(other.reference).toEqual({ invoice: 'BC-9', ticket: 'BC-1' });
});

test('the day of issue is beside the day of the work, as far as they are known', () => {
  const signals = [aSignal('issued_after_intervention', 6, { days: 4, date: '2026-11-12' })];
  expect(compare(anInvoice(), aChoice({ signals })).date).toEqual({ invoice: '2026-11-16', ticket: '2026-11-12' });
  expect(compare(anInvoice({ issueDate: null }), aChoice()).date).toEqual({ invoice: null, ticket: null });
});

test('what other invoices make is summed in cents', () => {
  const invoiced = [0.1, 0.2].map((ht, index) => ({ invoiceId: String(index), number: '', ht, ttc: ht * 1.2 }));
  expect(compare(anInvoice(), aChoice({ invoiced })).invoiced).toEqual({ count: 2, ht: 0.3 });
});

test.each([
  [aSignal('reference', 50), 'for'],
  [aSignal('reference_near', 15), 'doubt'],
  [aSignal('likely_supplier', 10), 'doubt'],
  [aSignal('amount', 25, { level: 'equal' }), 'for'],
  [aSignal('amount', 8, { level: 'near' }), 'doubt'],
  [aSignal('amount', -15, { level: 'above' }), 'against'],
  [aSignal('already_invoiced', -25), 'against'],
] as const)('%j speaks %s', (signal, mark) => {
  expect(markOf(signal)).toBe(mark);
});

test('the sum that fails names its difference', () => {
  expect(sumOf({ ht: 640, tva: 128, ttc: 868.1 })).toEqual({ sum: 768, difference: 100.1 });
});
