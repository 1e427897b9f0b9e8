import {
  choiceOfKey,
  hasAlert,
  otherContractor,
  preselected,
  strengthOf,
} from '../../src/pages/invoices/rules/choice.ts';
import { aChoice, anInvoice, aSignal } from './invoices.ts';

test.each([
  [100, 'strong'],
  [80, 'strong'],
  [79, 'possible'],
  [50, 'possible'],
  [49, 'weak'],
  [0, 'weak'],
])('%i points are %s', (score, strength) => {
  expect(strengthOf(score)).toBe(strength);
});

const strong = aChoice();
const second = aChoice({ ticketId: 't2', score: 60 });

test('the best suggestion is chosen beforehand if it is strong', () => {
  expect(preselected(anInvoice(), [strong, second])).toBe('t1');
});

test.each([
  ['it is not strong', anInvoice(), [aChoice({ score: 79 })]],
  ['another one is as good', anInvoice(), [strong, aChoice({ ticketId: 't2' })]],
  ['there is none', anInvoice(), []],
  ['the invoice is in review', anInvoice({ state: 'manual_review', reasons: ['iban_changed'] }), [strong]],
  ['a step failed', anInvoice({ state: 'error' }), [strong]],
  ['a flag speaks against it', anInvoice({ flags: ['over_tolerance'] }), [strong]],
  ['another supplier is named', anInvoice(), [aChoice({ contractor: { id: 'c2', name: 'Lumen' } })]],
  ['it is linked already', anInvoice({ ticket: 't1' }), [strong]],
  ['it could not be read', anInvoice({ amounts: null }), [strong]],
])('nothing is chosen beforehand if %s', (_, invoice, choices) => {
  expect(preselected(invoice, choices)).toBeNull();
});

test('what is only told is no alert, nor is a sentence of matching', () => {
  const flags = ['no_goods_receipt', 'ticket_not_finished', 'siren_checksum'] as const;
  expect(hasAlert(anInvoice({ flags: [...flags], reasons: ['one ticket, score 85'] }))).toBe(false);
});

test('keys choose by place, and none that is not there', () => {
  expect([1, 2, 3].map((key) => choiceOfKey([strong, second], key))).toEqual(['t1', 't2', null]);
});

const lumen = { id: 'c2', name: 'Lumen' };

test.each([
  ['another name, and no tie', aChoice({ contractor: lumen }), 'Lumen'],
  ['the same name, written otherwise', aChoice({ contractor: { id: 'c1', name: 'FIX-IT' } }), null],
  ['known by its number', aChoice({ contractor: lumen, signals: [aSignal('supplier', 15)] }), null],
  ['known by its VAT number', aChoice({ contractor: lumen, signals: [aSignal('likely_supplier', 10)] }), null],
  ['nobody has the ticket', aChoice(), null],
])('whether the ticket is of another contractor than the invoice: %s', (_, choice, other) => {
  expect(otherContractor(anInvoice(), choice)).toBe(other);
});
