import { readEInvoice } from '../index.ts';
import { basic } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writeUbl } from './write-ubl.ts';

/** Fields that the extended profiles (of Factur-X and of the French reform) add to EN 16931. */
const syntaxes = [
  ['UBL', writeUbl],
  ['CII', writeCii],
] as const;
const read = (xml: string) => readEInvoice(Buffer.from(xml));

test.each(syntaxes)(
  '%s: lines that group or explain others are notes, or the lines would be more than the total',
  (_syntax, write) => {
    const lines = [
      { subtype: 'GROUP', name: 'Lot 1, ticket 2026-118', ht: '30.00' },
      { subtype: 'DETAIL', name: 'Pose', ht: '20.00' },
      { subtype: 'INFORMATION', name: 'Outillage', note: 'fourni', qty: '1', ht: '0.00' },
      { name: 'Dépose', ht: '10.00' },
    ];
    const invoice = read(write({ ...basic, lines }));
    expect(invoice.lines.map(({ label, ht }) => [label, ht])).toEqual([
      ['Pose', 20],
      ['Dépose', 10],
    ]);
    expect(invoice.notes).toEqual(['Lot 1, ticket 2026-118', 'Outillage', 'fourni']);
    expect(invoice.matchHints.ticketRef).toBe('2026-118');
    expect(invoice.references).toEqual([]);
  },
);

test.each(syntaxes)('%s: places and references of lines count as those of the document', (_syntax, write) => {
  const line = { name: 'Pose', ht: '0.10', delivery: { name: 'Résidence du Parc', city: 'Lyon' } };
  const lines = [
    { ...line, despatch: 'BL-8' },
    { ...line, subtype: 'DETAIL', preceding: 'F-9' },
  ];
  const invoice = read(write({ ...basic, lines }));
  expect(invoice.places).toEqual(['Résidence du Parc', 'Lyon']);
  expect(invoice.references).toEqual([
    { kind: 'despatch', value: 'BL-8' },
    { kind: 'preceding_invoice', value: 'F-9' },
  ]);
});

test('the due date is that of the terms without discount, whatever their order', () => {
  const due = (day: string, discount = '') =>
    `<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">${day}</udt:DateTimeString></ram:DueDateDateTime>${discount}</ram:SpecifiedTradePaymentTerms>`;
  const early = due('20260210', '<ram:ApplicableTradePaymentDiscountTerms/>');
  const late = due('20260302');
  const dueDate = (terms: string) =>
    read(writeCii(basic).replace('<ram:SpecifiedTradeSettlementHeader', (next) => terms + next)).dueDate;
  expect([early + late, late + early, early].map(dueDate)).toEqual(['2026-03-02', '2026-03-02', '2026-02-10']);
  // Terms without a date are ignored.
  expect(dueDate(late + early.replace('"102"', '"610"'))).toBe('2026-03-02');
});
