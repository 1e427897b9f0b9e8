import {
  amountOfQuote,
  changedPurchase,
  enteredIn,
  formerPurchaseValues,
  newPurchase,
  type Purchase,
} from '../../src/pages/tickets/purchases/purchase-input.ts';

const receipt = {
  kind: 'goods_receipt',
  reference: 'GR-1',
  amount: 12.5,
  includes_vat: false,
  date: '2026-11-24T09:30:00.000Z',
  quote_id: null,
  purchase_order_id: 'order',
} as unknown as Purchase;

function form(fields: Record<string, string>): FormData {
  const values = new FormData();
  for (const [name, value] of Object.entries(fields)) values.set(name, value);
  return values;
}

const same = {
  reference: 'GR-1',
  amount: '12.5',
  date: '2026-11-24',
  quote_id: 'none',
  purchase_order_id: 'order',
};

test.each([
  ['nothing', {}, {}],
  ['the reference', { reference: 'GR-2' }, { reference: 'GR-2' }],
  ['no reference, which the API refuses', { reference: ' ' }, { reference: '' }],
  ['no amount', { amount: '' }, { amount: null }],
  ['an amount with VAT', { includes_vat: 'true' }, { includes_vat: true }],
  ['what is no number, which the API refuses', { amount: 'much' }, { amount: 'much' }],
  ['an amount with thousands', { amount: '1 234,50' }, { amount: 1234.5 }],
  ['another day', { date: '2026-11-25' }, { date: '2026-11-25T00:00:00Z' }],
  ['no day: it keeps its own', { date: '' }, {}],
  ['another quote', { quote_id: 'quote' }, { quote_id: 'quote' }],
  ['no order', { purchase_order_id: 'none' }, { purchase_order_id: null }],
])('what differs from a document is sent: %s', (_what, entered, changes) => {
  expect(changedPurchase(receipt, enteredIn(form({ ...same, ...entered })))).toEqual(changes);
});

test('an order has no order of its own', () => {
  const order = { ...receipt, kind: 'purchase_order' as const, purchase_order_id: null };
  expect(changedPurchase(order, enteredIn(form({ ...same, purchase_order_id: 'x' })))).toEqual({});
});

test('what takes changes back is what was there', () => {
  expect(formerPurchaseValues(receipt, { amount: null, reference: 'GR-2' })).toEqual({
    amount: 12.5,
    reference: 'GR-1',
  });
});

test.each([
  ['nothing is entered', { text: '', isTyped: false }, '480.5', '480.5'],
  ['another quote was chosen before', { text: '950', isTyped: false }, '480.5', '480.5'],
  ['that choice is taken back', { text: '950', isTyped: false }, '', ''],
  ['an amount was typed', { text: '950', isTyped: true }, '480.5', '950'],
])('the price of a chosen quote is the amount unless one was typed: %s', (_case, amount, price, text) => {
  const quoted = { text: price, withVat: true };
  const { isTyped } = amount;
  expect(amountOfQuote({ ...amount, withVat: false }, quoted)).toEqual({ text, withVat: !isTyped, isTyped });
});

test('a new document is without what was left empty', () => {
  const entered = enteredIn(form({ reference: 'PO-1', amount: '1 200', date: '', quote_id: 'none' }));
  expect(newPurchase('purchase_order', entered)).toEqual({
    kind: 'purchase_order',
    reference: 'PO-1',
    amount: 1200,
    includes_vat: false,
  });
});
