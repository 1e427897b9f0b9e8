import { candidateLookup, purchaseKeys, ticketKeys } from '../candidates.ts';
import { amountsInconsistent, hasUnconfirmedAccount } from '../consistency-checks.ts';
import {
  compareInvoices,
  duplicateKey,
  duplicateMarks,
  isSameNumber,
  numberKey,
  precedingNumbers,
} from '../duplicates.ts';
import { invoice, known, order, quote, ticket, unknown } from './sample.ts';

const fingerprint = { key: 'a', number: '1', ttc: 10, hash: 'h' as string | null };
const line = { label: 'x', qty: 1, unitPrice: null, ht: null, vatRate: null };

test.each([
  [{ ht: 100, tva: 20, ttc: 120.02 }, 1, false],
  [{ ht: 100, tva: 20, ttc: 120.03 }, 1, true],
  [{ ht: 100, tva: 20, ttc: 120.06 }, 3, false],
  [{ ht: 100, tva: 20, ttc: 121.01 }, 200, true],
  [{ ht: 0.1, tva: 0.2, ttc: 0.3 }, 0, false],
])('%j on %i lines: inconsistent is %s', (amounts, lines, expected) => {
  expect(amountsInconsistent(invoice(null, { amounts, lines: Array(lines).fill(line) }))).toBe(expected);
});

test.each([
  ['FA-2026-00311', 'fa/2026 311', true],
  ['FA-2026-00311', 'FA202600311', true],
  ['FA\u20112026\u2011311', 'FA-2026-311', true],
  ['000311', '311', true],
  ['Счёт-7', 'счёт 07', true],
  ['2026-01-11', '2026-11-01', false],
  ['2026-01-11', '20261101', false],
  ['F1-12', 'F11-2', false],
  ['FA-10', 'FA-1', false],
  ['Счёт-7', 'Акт-7', false],
  ['-', '/', false],
])('the numbers %s and %s are the same: %s', (one, other, expected) => {
  expect([isSameNumber(one, other), isSameNumber(other, one)]).toEqual([expected, expected]);
  expect(compareInvoices({ ...fingerprint, number: one }, { ...fingerprint, number: other, hash: 'i' })).toBe(
    expected ? 'duplicate_suspected' : null,
  );
  // The comparison can only decide about what the key finds.
  if (expected) expect(numberKey(one)).toBe(numberKey(other));
});

test('copies of an invoice share a key, however supplier and number are written', () => {
  const by = (siren: string | null, name: string, number: string, issueDate: string) =>
    duplicateKey(invoice(null, { number, issueDate, supplier: { ...invoice(null).supplier, siren, name } }));
  const key = by('732829320', 'Martin', 'F-2026/0012', '2026-03-20');
  expect(by('732 829 320', 'MARTIN SARL', 'f 2026-12', '2026-12-31')).toBe(key);
  expect(by('732829320', 'Martin', 'F-2026/0013', '2026-03-20')).not.toBe(key);
  expect(by('732829320', 'Martin', 'F-2026/0012', '2027-03-20')).not.toBe(key);
  expect(by(null, 'Élec & Co', '1', '2026-01-01')).toBe(by(null, 'ELEC CO', '001', '2026-02-01'));
});

test('the same number with an equal total always shares a mark, and another number never all of them', () => {
  const marks = (number: string, ttc: number) => duplicateMarks({ key: 'k', number, ttc, hash: null });
  const shared = (one: string[], other: string[]) => one.some((mark) => other.includes(mark));
  for (let total = -10; total < 10; total++) {
    for (const apart of [0, 1, 2]) {
      expect(shared(marks('FA-12', total / 100), marks('FA12', (total + apart) / 100))).toBe(true);
    }
    expect(shared(marks('FA-12', total / 100), marks('fa/012', (total + 5) / 100))).toBe(false);
  }
  expect(marks('F1-12', 9).filter((mark) => !marks('F11-2', 9).includes(mark))).not.toEqual([]);
  expect(marks('-', 9)).toEqual([]);
});

test.each([
  ['the same total', { ttc: 10.02, hash: null }, 'duplicate_suspected'],
  ['another total', { ttc: 10.03, hash: null }, 'same_number'],
  ['another supplier, the same document', { key: 'b', ttc: 99 }, 'duplicate_suspected'],
  ['another number, the same document', { number: '2', ttc: 99 }, 'duplicate_suspected'],
  ['another supplier and document', { key: 'b', hash: 'i' }, null],
  ['another number and document', { number: '2', hash: 'i' }, null],
])('of two invoices, %s', (_what, other, expected) => {
  expect(compareInvoices(fingerprint, { ...fingerprint, ...other })).toBe(expected);
});

const [french, other] = ['FR7630006000011234567890189', 'FR1420041010050500013M02606'];

test.each([
  ['another one', [french], [other], true],
  ['the known one', [french], [other, french], false],
  ['another one beside the known one', [french, other], [french], true],
  ['both known ones', [french, other], [other, french], false],
  ['the first of all', [french, french], [], false],
  ['the first of all, and another one', [french, other], [], true],
  ['the first of all, which is another supplier’s too', [french], [], true, [french]],
  ['the known one, which is another supplier’s too', [french], [french], false, [french]],
  ['what is no IBAN, as the first', ['FR76 1234'], [], true],
  ['what is no IBAN, and was confirmed', ['FR76 1234'], ['FR76 1234'], false],
  ['none', [], [other], false],
])('accounts of an invoice: %s', (_what, accounts, confirmed, expected, ofOthers = []) => {
  expect(hasUnconfirmedAccount(accounts, { confirmed, ofOthers })).toBe(expected);
});

test('the invoice that a credit note names is found by its number', () => {
  const references = [
    { kind: 'preceding_invoice' as const, value: 'F-2026-001' },
    { kind: 'order' as const, value: 'BC-1' },
  ];
  const named = (kind: 'invoice' | 'credit_note' | 'corrective', number = '9') =>
    precedingNumbers(invoice(null, { kind, number, references }));
  expect([named('credit_note'), named('corrective'), named('invoice')]).toEqual([['F-2026-001'], ['F-2026-001'], []]);
  expect(named('corrective', 'f 2026 / 1')).toEqual([]);
});

test('a ticket is found by any form of its references, those of its documents, and its ordered amounts', () => {
  const snapshot = ticket('1', { quotes: [quote('DEV-2026-118', '99.90'), quote('DEV-2026-119', '80', 'declined')] });
  const lookup = candidateLookup(invoice('cde n° 2026-118'), known);
  expect(ticketKeys(snapshot).keys.some((key) => lookup.keys.includes(key))).toBe(true);
  expect(ticketKeys(snapshot).cents).toEqual([9990]);
  expect(purchaseKeys(order('BC-1042', 1000)).cents).toEqual([100_000]);
  expect(lookup.cents).toEqual(expect.arrayContaining([99_998, 100_000, 100_002, 120_000]));
  expect(purchaseKeys(order('BC-1042', 10, { deleted: true }))).toEqual({ keys: [], cents: [] });
});

test('the lookup: created until the day after issue, updated within 18 months, also by id; three digits for known suppliers only', () => {
  const id = 'ab12'.repeat(6);
  const named = invoice(`${id} 417`);
  expect(candidateLookup(named, known)).toMatchObject({
    createdBefore: '2026-03-22T00:00:00.000Z',
    updatedFrom: '2024-09-20T00:00:00.000Z',
    ticketIds: [id],
    contractorIds: known.contractorIds,
    limit: 200,
  });
  expect(candidateLookup(named, known).keys).toContain('417');
  expect(candidateLookup(named, unknown).keys).not.toContain('417');
});
