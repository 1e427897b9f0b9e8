import { objectionsTo } from '../../src/pages/invoices/rules/objections.ts';
import { aChoice, anInvoice, aSignal } from './invoices.ts';

const orders = (amount: number) => [{ reference: 'BC-1', amount, includesVat: false }];
const review = (code: 'duplicate_suspected' | 'iban_changed') =>
  anInvoice({ state: 'manual_review', reasons: [code], reasonCodes: [{ code, values: {} }] });

test.each([
  ['a reason of its review', review('duplicate_suspected'), aChoice(), ['reason']],
  ['its own company as supplier', anInvoice({ flags: ['supplier_is_client'] }), aChoice(), ['flag']],
  ['another contractor', anInvoice(), aChoice({ contractor: { id: 'c2', name: 'Lumen' } }), ['contractor']],
  ['what is invoiced already', anInvoice(), aChoice({ signals: [aSignal('already_invoiced', -25)] }), ['signal']],
  ['another place', anInvoice(), aChoice({ signals: [aSignal('other_place', -15)] }), ['signal']],
  ['31 % above what is left', anInvoice(), aChoice({ orders: orders(942.41) }), ['flag']],
  ['4 % above what is left', anInvoice(), aChoice({ orders: orders(1187) }), ['flag']],
  [
    'the same said by matching',
    anInvoice(),
    aChoice({ signals: [aSignal('amount', -15, { level: 'above', compared: 900 })] }),
    ['signal'],
  ],
])('something speaks against a link: %s', (_what, invoice, choice, kinds) => {
  expect(objectionsTo(invoice, choice).map(({ kind }) => kind)).toEqual(kinds);
});

test.each([
  ['nothing is known', anInvoice(), aChoice()],
  ['the amount is a part', anInvoice(), aChoice({ orders: orders(5000) })],
  ['the amount is within tolerance', anInvoice(), aChoice({ orders: orders(1220) })],
  ['another IBAN, which is confirmed by itself', review('iban_changed'), aChoice()],
  ['another ticket would be above', anInvoice({ flags: ['over_tolerance'] }), aChoice({ orders: orders(1234.56) })],
])('nothing speaks against a link: %s', (_what, invoice, choice) => {
  expect(objectionsTo(invoice, choice)).toEqual([]);
});
