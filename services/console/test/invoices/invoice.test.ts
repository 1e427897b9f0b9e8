import {
  countsOfLists,
  isAsSeen,
  mayClear,
  mayLink,
  notesOf,
  rowFlags,
  signedTotal,
  waitsForMatching,
} from '../../src/pages/invoices/rules/invoice.ts';
import { aChoice, anInvoice } from './invoices.ts';

test('counts of states are counts of lists', () => {
  const none = { received: 0, normalized: 0, supplier_matched: 0, supplier_unmatched: 0, ticket_matched: 0, linked: 0 };
  const counts = {
    ...none,
    feedback_pending: 0,
    feedback_sent: 0,
    done: 7,
    ticket_unmatched: 5,
    manual_review: 2,
    error: 1,
  };
  const counted = (count: number, isMore = false) => ({ count, isMore });
  expect(countsOfLists(counts)).toEqual({ queue: counted(5), review: counted(3), all: counted(15) });
  // The API counts no further.
  expect(countsOfLists({ ...counts, error: 10_000 })).toEqual({
    queue: counted(5),
    review: counted(10_002, true),
    all: counted(10_014, true),
  });
});

test('other suggestions are no other invoice, another state, ticket, amount or IBAN is', () => {
  const seen = anInvoice();
  expect(isAsSeen(seen, anInvoice({ reasons: ['2 tickets, best score 60'] }))).toBe(true);
  const inReview = anInvoice({ state: 'manual_review' });
  expect(isAsSeen(inReview, { ...inReview, reasons: ['iban_changed'] })).toBe(false);
  expect(isAsSeen(seen, anInvoice({ suggestions: [{ ...aChoice(), reasons: [] }], rematchAt: 'later' }))).toBe(true);
  for (const changed of [
    anInvoice({ state: 'linked', ticket: 't9' }),
    anInvoice({ amounts: { ht: 1, tva: 0, ttc: 1 } }),
    anInvoice({ supplier: { ...seen.supplier, accounts: ['FR76'] } }),
  ])
    expect(isAsSeen(seen, changed)).toBe(false);
});

test('an invoice is the same while the provider is told of its link, until it is on another ticket or refused', () => {
  const seen = anInvoice({ state: 'linked', ticket: 't1' });
  for (const state of ['feedback_pending', 'feedback_sent', 'done'] as const)
    expect(isAsSeen(seen, { ...seen, state })).toBe(true);
  expect(isAsSeen(seen, { ...seen, state: 'done', ticket: 't2' })).toBe(false);
  expect(isAsSeen(seen, { ...seen, state: 'error' })).toBe(false);
});

test('only what was read and is on no ticket can be linked, and only a review can be cleared', () => {
  expect([anInvoice(), anInvoice({ ticket: 't' }), anInvoice({ amounts: null })].map(mayLink)).toEqual([
    true,
    false,
    false,
  ]);
  const held = anInvoice({ state: 'manual_review' });
  expect([held, anInvoice(), { ...held, ticket: 't' }, { ...held, amounts: null }].map(mayClear)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('a credit note comes to less than nothing, whichever sign its document has', () => {
  const amounts = (ttc: number) => ({ ht: ttc, tva: 0, ttc });
  const totals = [anInvoice({ kind: 'invoice', amounts: amounts(5) }), anInvoice({ amounts: null })];
  const credits = [5, -5].map((ttc) => anInvoice({ kind: 'credit_note', amounts: amounts(ttc) }));
  expect([...totals, ...credits].map(signedTotal)).toEqual([5, null, -5, -5]);
});

test('a row shows the two worst flags, the panel the rest', () => {
  const flags = ['siren_checksum', 'credit_note', 'over_tolerance', 'currency_differs', 'no_goods_receipt'];
  expect(rowFlags(flags)).toEqual(['currency_differs', 'over_tolerance']);
  expect(notesOf(flags)).toEqual(['siren_checksum']);
});

const waiting = anInvoice({ state: 'ticket_unmatched', rematchAt: '2026-11-16T08:05:00Z' });

test.each([
  ['that will be matched again', waiting, true],
  ['that was looked at, without a result', { ...waiting, rematchAt: null }, false],
  ['that has suggestions', { ...waiting, suggestions: [aChoice()] as never }, false],
  ['that is linked', { ...waiting, state: 'linked' as const }, false],
])('tickets are looked for, of an invoice %s: %#', (_which, invoice, expected) => {
  expect(waitsForMatching(invoice)).toBe(expected);
});
