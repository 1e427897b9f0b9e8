import { isPlaced } from '../week/invoice-placement.ts';

test.each([
  ['matched', 'done', true],
  ['matched', 'ticket_unmatched', false],
  ['queue', 'ticket_unmatched', true],
  ['queue', 'done', false],
  ['unheard', 'feedback_pending', true],
  ['ticket_gone', 'done', true],
  ['iban_changed', 'done', false],
  ['iban_changed', 'manual_review', true],
  ['unreadable', undefined, false],
] as const)('an invoice that is %s and now delivered is placed in %s: %s', (outcome, state, expected) => {
  expect(isPlaced(state, outcome, false)).toBe(expected);
});

test.each([
  ['queue', 'done', true],
  ['matched', 'ticket_unmatched', true],
  ['iban_changed', 'feedback_pending', true],
  ['matched', 'supplier_matched', false],
  ['matched', undefined, false],
] as const)('people may have moved one that was there before: %s, placed in %s: %s', (outcome, state, expected) => {
  expect(isPlaced(state, outcome, true)).toBe(expected);
});
