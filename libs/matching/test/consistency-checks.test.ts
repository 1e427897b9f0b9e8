import { candidateLookup, purchaseKeys, ticketKeys } from '../candidates.ts';
import { amountsInconsistent, ibanChanged } from '../consistency-checks.ts';
import { compareInvoices, duplicateKey, numberKey, precedingKeys } from '../duplicates.ts';
import { invoice, known, order, quote, ticket, unknown } from './sample.ts';

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

test('an invoice is the same by supplier, number and year, however they are written', () => {
  const by = (siren: string | null, name: string, number: string, issueDate: string) =>
    duplicateKey(invoice(null, { number, issueDate, supplier: { ...invoice(null).supplier, siren, name } }));
  const key = by('732829320', 'Martin', 'F-2026/0012', '2026-03-20');
  expect(by('732 829 320', 'MARTIN SARL', 'f2026-12', '2026-12-31')).toBe(key);
  expect(by('732829320', 'Martin', 'F-2026/0013', '2026-03-20')).not.toBe(key);
  expect(by('732829320', 'Martin', 'F-2026/0012', '2027-03-20')).not.toBe(key);
  expect(by(null, 'Élec & Co', '1', '2026-01-01')).toBe(by(null, 'ELEC CO', '001', '2026-02-01'));
});

test.each([
  ['the same total', { key: 'a', ttc: 10.02, hash: null }, 'duplicate_suspected'],
  ['another total', { key: 'a', ttc: 10.03, hash: null }, 'same_number'],
  ['another number, the same document', { key: 'b', ttc: 99, hash: 'h' }, 'duplicate_suspected'],
  ['another number and document', { key: 'b', ttc: 10, hash: 'i' }, null],
])('of two invoices, %s', (_what, other, expected) => {
  expect(compareInvoices({ key: 'a', ttc: 10, hash: 'h' }, other)).toBe(expected);
});

test.each([
  ['FR7630006000011234567890189', ['FR1420041010050500013M02606'], true],
  ['FR76 3000 6000 0112 3456 7890 189', ['FR7630006000011234567890189'], false],
  ['FR7630006000011234567890189', [], false],
  [null, ['FR1420041010050500013M02606'], false],
])('IBAN %s where %j are known: changed is %s', (iban, learned, expected) => {
  expect(ibanChanged(iban, learned)).toBe(expected);
});

test('the invoice that a credit note names is found by its number', () => {
  const references = [
    { kind: 'preceding_invoice' as const, value: 'F-2026-001' },
    { kind: 'order' as const, value: 'BC-1' },
  ];
  expect(precedingKeys(invoice(null, { references }))).toEqual([numberKey('f 2026 / 1')]);
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
