import { findMarks, type Needle, needlesOf } from '../../src/pages/invoices/rules/marks.ts';
import { aChoice, anInvoice, aSignal } from './invoices.ts';

const line = (text: string) => ({ text, ends: true });
function found(texts: string[], needles: Needle[]): string[] {
  return findMarks(texts.map(line), needles).map(({ item, from, to }) => (texts[item] ?? '').slice(from, to));
}
const amount = (text: string): Needle[] => [{ kind: 'amount', text }];
const reference = (text: string): Needle[] => [{ kind: 'reference', text }];

test.each(['1234,56', '1 234,56', '1\u202f234,56', '1.234,56', '1,234.56', '1234.56'])(
  '%s is found as 1,234.56',
  (text) => {
    expect(found([`Total ${text} EUR`], amount('1234.56'))).toEqual([text]);
  },
);

test.each(['11234,56', '1234,567', '123456', '1.234', '9,1234,56'])('%s is another amount', (text) => {
  expect(found([`Total ${text} EUR`], amount('1234.56'))).toEqual([]);
});

test.each(['BC-2026-0042', 'BC 2026 0042', 'bc2026/0042', 'BC_2026.0042'])('%s is found as the reference', (text) => {
  expect(found([`Commande ${text}.`], reference('BC-2026-0042'))).toEqual([text]);
});

test('a part of a longer reference is not it', () => {
  expect(found(['BC-2026-00421', 'ABC-2026-0042'], reference('BC-2026-0042'))).toEqual([]);
});

test('a reference that the page cuts in pieces is marked in each', () => {
  const pieces = ['Order BC-', '2026', '-0042 of May'].map((text) => ({ text, ends: false }));
  expect(findMarks(pieces, reference('BC-2026-0042'))).toEqual([
    { item: 0, from: 6, to: 9, kind: 'reference' },
    { item: 1, from: 0, to: 4, kind: 'reference' },
    { item: 2, from: 0, to: 5, kind: 'reference' },
  ]);
});

test('signs of a reference that mean something in patterns do no harm', () => {
  expect(found(['Order A(1)+4567 and A14567x'], reference('A(1)+4567'))).toEqual(['A(1)+4567']);
  expect(found(['Order A-1.4567'], reference('A(1)+4567'))).toEqual(['A-1.4567']);
});

test('marks do not overlap: the longer one counts', () => {
  const needles: Needle[] = [...reference('2026'), ...reference('BC-2026-0042')];
  expect(found(['BC-2026-0042'], needles)).toEqual(['BC-2026-0042']);
});

test('what matching has read is looked for: references, amounts and the IBAN', () => {
  const signals = [aSignal('reference', 50, { held: 'BC-1', written: 'BC 2026/1' })];
  const invoice = anInvoice({
    matchHints: { poRef: 'PO-2026', ticketRef: 'X1', orderRef: null },
    supplier: {
      externalId: null,
      name: null,
      siret: null,
      siren: null,
      iban: null,
      accounts: ['FR7630006000011234567890189'],
    },
    suggestions: [{ ...aChoice({ signals }), reasons: [] }],
    amounts: { ht: 100, tva: 0, ttc: 100 },
  });
  expect(needlesOf(invoice)).toEqual([
    { kind: 'reference', text: 'FA-2026-0101' },
    { kind: 'reference', text: 'PO-2026' },
    { kind: 'reference', text: 'BC 2026/1' },
    { kind: 'amount', text: '100.00' },
    { kind: 'iban', text: 'FR7630006000011234567890189' },
  ]);
});
