import { formsOf, formsWithoutItem, isOneEditApart, referenceKeys } from '../references/references.ts';

const agree = (one: string, other: string) => formsOf(one).some((form) => referenceKeys(other).includes(form));

test.each([
  ['bc 2026 0042', 'BC-2026-0042'],
  ['Commande n° BC-2026-0042', 'BC-2026-0042'],
  ['BC/2026/42', 'BC-2026-0042'],
  ['2026-0042', 'BC-2026-0042'],
  ['Réf. : bc_2026_0042.', 'BC-2026-0042'],
  ['CDE N°4500012345', '4500012345'],
  ['ticket T n° 001042', 'T-001042'],
  ['1042', 'T-001042'],
  ['DÉV 2026‑118', 'DEV-2026-118'],
])('%s agrees with %s', (written, known) => {
  expect(agree(written, known)).toBe(true);
});

test.each([
  ['BC-2026-0043', 'BC-2026-0042'],
  ['BC-2026-00420', 'BC-2026-0042'],
  ['NORD12', 'RD12'],
  ['2026', 'BC-2026-0042'],
  ['0042', 'BC-2026-0042'],
])('%s does not agree with %s', (written, known) => {
  expect(agree(written, known)).toBe(false);
});

test.each([
  ['4500012345-00010', '4500012345'],
  ['4500012345.00010', '4500012345'],
  ['BC 4500012345_10', '4500012345'],
  ['PO00001-01', 'PO00001'],
  ['BC-2026-0042-B', 'BC-2026-0042'],
  ['bc-2026-0042‑rev2', 'BC-2026-0042'],
  ['BC-1042-01', 'BC-1042'],
])('%s is an item or a revision of %s', (written, order) => {
  expect(formsWithoutItem(written).some((form) => referenceKeys(order).includes(form))).toBe(true);
});

test.each([
  '4500012345',
  '2026-0042',
  '1042-01',
  '12345.67',
  '45000.00',
  'BC-12',
  'PO 00001',
  '4500012345-000100',
  'NA-1',
])('%s is no order with an item', (written) => {
  expect(formsWithoutItem(written)).toEqual([]);
});

test.each(['N/A', 'néant', '-', '0', '000', 'Sans objet', 'aucune', 'Dummywert', 'X', 'NC', 'test', 'AB1', '12', ''])(
  'the placeholder %p, or what is too short, has no forms',
  (text) => {
    expect(formsOf(text)).toEqual([]);
    expect(referenceKeys(text)).toEqual([]);
  },
);

test('the longest form comes first: an order is not confused with the ticket of the same number', () => {
  expect(formsOf('BC-2026-0042')).toEqual(['BC20260042', 'BC202642', '20260042', '202642']);
});

test.each([
  ['BC20260042', 'BC20260024', true],
  ['BC20260042', 'BC2026042', true],
  ['BC20260042', 'BC202600042', true],
  ['BC20260042', 'BC20260047', true],
  ['BC20260042', 'BC20260042', false],
  ['BC20260042', 'BC20260059', false],
  ['BC20260042', 'BC202642', false],
])('%s and %s are one typing error apart: %s', (one, other, expected) => {
  expect(isOneEditApart(one, other)).toBe(expected);
  expect(isOneEditApart(other, one)).toBe(expected);
});
