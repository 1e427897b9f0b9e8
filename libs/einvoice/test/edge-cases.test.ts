import { readEInvoice } from '../index.ts';
import { basic, full, type Sample, type SampleParty } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writeUbl } from './write-ubl.ts';

const siren = '732829320';
const siret = '73282932000074';
const writers = [writeUbl, writeCii];
/** Reads a sample in both syntaxes, which must agree. */
function read(change: Partial<Sample>) {
  const [ubl, cii] = writers.map((write) => readEInvoice(Buffer.from(write({ ...basic, ...change }))));
  expect(ubl).toEqual(cii);
  if (ubl === undefined) throw new Error('unreachable');
  return ubl;
}
const seller = (numbers: Partial<SampleParty>): Partial<Sample> => ({
  seller: { name: 'S', country: 'FR', ...numbers },
});

test.each<[string, Partial<SampleParty>, { siren: string | null; siret: string | null }]>([
  ['the SIREN under 0002', { legalId: { scheme: '0002', value: siren } }, { siren, siret: null }],
  ['a SIRET under 0002', { legalId: { scheme: '0002', value: siret } }, { siren, siret }],
  ['a SIRET under 0009', { ids: [{ scheme: '0009', value: siret }] }, { siren, siret }],
  ['a SIREN under 0009', { ids: [{ scheme: '0009', value: siren }] }, { siren, siret: null }],
  ['a register and its town', { legalId: { value: 'RCS Lyon B 732 829 320' } }, { siren, siret: null }],
  ['a legal id without a scheme', { legalId: { value: siret } }, { siren, siret }],
  ['an id without a scheme', { ids: [{ value: siren }] }, { siren, siret: null }],
  ['a scheme by its name', { ids: [{ scheme: 'FR:SIRET', value: siret }] }, { siren, siret }],
  ['another scheme by its name', { ids: [{ scheme: 'SIRENE', value: siren }] }, { siren, siret: null }],
  ['the electronic address', { address: { scheme: '0225', value: siren } }, { siren, siret: null }],
  ['that of an establishment', { address: { scheme: '0225', value: `${siren}_${siret}` } }, { siren, siret }],
  ['that of a service', { address: { scheme: '0225', value: `${siren}_${siret}_COMPTA` } }, { siren, siret }],
  ['that of a mailbox', { address: { scheme: '0225', value: `${siren}_FACTURES` } }, { siren, siret: null }],
  ['the VAT number alone', { vat: 'FR44732829320' }, { siren, siret: null }],
  ['the VAT number as an address', { address: { scheme: '9957', value: 'FR44732829320' } }, { siren, siret: null }],
  [
    'a SIREN with a wrong key under its scheme',
    { legalId: { scheme: '0002', value: '732829321' } },
    { siren: '732829321', siret: null },
  ],
  ['leading zeros lost', { legalId: { scheme: '0002', value: '5720784' } }, { siren: '005720784', siret: null }],
  [
    'the registration before the VAT number',
    { legalId: { scheme: '0002', value: siren }, vat: 'FR11123456782' },
    { siren, siret: null },
  ],
  [
    'the SIRET of the registered company',
    {
      legalId: { scheme: '0002', value: siren },
      ids: [
        { scheme: '0009', value: '35600000000048' },
        { scheme: '0009', value: siret },
      ],
    },
    { siren, siret },
  ],
  ['nine digits with no scheme and no key', { ids: [{ value: '732829321' }] }, { siren: null, siret: null }],
  ['nine digits of a DUNS', { ids: [{ scheme: '0060', value: siren }] }, { siren: null, siret: null }],
  ['a GLN', { ids: [{ scheme: '0088', value: '3012345678905' }] }, { siren: null, siret: null }],
  ['the number of the tax office', { taxNumber: siren }, { siren: null, siret: null }],
  ['a mail address', { address: { scheme: 'EM', value: `${siren}@example.org` } }, { siren: null, siret: null }],
  [
    'a German registration',
    { country: 'DE', legalId: { value: siren }, vat: 'DE123456788' },
    { siren: null, siret: null },
  ],
  ['nothing', {}, { siren: null, siret: null }],
])('the numbers of the supplier: %s', (_where, numbers, expected) => {
  expect(read(seller(numbers)).supplier).toMatchObject(expected);
});

test('the supplier is neither the tax representative nor the payee', () => {
  const other: SampleParty = { name: 'Autre', legalId: { scheme: '0002', value: '356000000' }, vat: 'FR39356000000' };
  const { supplier } = read({ ...seller({ name: 'Moi' }), representative: other, payee: other });
  expect(supplier).toMatchObject({ name: 'Moi', siren: null, siret: null, vatNumber: null });
});

test.each([
  ['FR 44 732 829 320', 'FR44732829320'],
  ['fr44732829320', 'FR44732829320'],
  ['BE0123456749', 'BE0123456749'],
  ['non assujetti', null],
])('the VAT number %j is %j', (vat, expected) => {
  expect(read(seller({ vat })).supplier.vatNumber).toBe(expected);
});

test.each<[string, string[], string | null]>([
  ['an IBAN', ['FR1420041010050500013M02606'], 'FR1420041010050500013M02606'],
  ['the first of two', ['DE89370400440532013000', 'NO9386011117947'], 'DE89370400440532013000'],
  ['an account that is none', ['FR1520041010050500013M02606'], null],
  ['a national account', ['20041 01005 0500013M026 06'], null],
  ['a national account, then an IBAN', ['123456', 'DE89370400440532013000'], 'DE89370400440532013000'],
])('accounts: %s', (_what, accounts, iban) => {
  expect(read({ accounts }).supplier.iban).toBe(iban);
});

test.each<[string, Partial<Sample>, string]>([
  ['380', { typeCode: '380' }, 'invoice'],
  ['381 with amounts above zero', { typeCode: '381' }, 'credit_note'],
  [
    '380 with a total below zero',
    { totals: { ht: '-0.10', tva: [{ currency: 'EUR', amount: '-0.02' }], ttc: '-0.12', due: '-0.12' } },
    'credit_note',
  ],
  ['384', { typeCode: '384' }, 'corrective'],
  ['261, self-billed', { typeCode: '261' }, 'credit_note'],
  ['386, a deposit', { typeCode: '386' }, 'invoice'],
])('the kind of %s', (_what, change, kind) => {
  expect(read(change).kind).toBe(kind);
});

test('a credit note keeps the signs of its document', () => {
  const below = { ht: '-10.00', tva: [{ currency: 'EUR', amount: '-2.00' }], ttc: '-12.00', due: '-12.00' };
  expect(read({ typeCode: '381', totals: below }).amounts).toEqual({ ht: -10, tva: -2, ttc: -12 });
  expect(read({ typeCode: '381' }).amounts).toEqual({ ht: 0.1, tva: 0.02, ttc: 0.12 });
});

test.each<[string, Sample['totals'], { ht: number; tva: number; ttc: number }]>([
  [
    'prepaid: the total, not what is due',
    { ht: '100', tva: [{ currency: 'EUR', amount: '20' }], ttc: '120', prepaid: '120', due: '0' },
    { ht: 100, tva: 20, ttc: 120 },
  ],
  [
    'no VAT total: the difference, to the cent',
    { ht: '1000.10', ttc: '1200.12', due: '1200.12' },
    { ht: 1000.1, tva: 200.02, ttc: 1200.12 },
  ],
  [
    'VAT in another currency alone',
    { ht: '0.70', tva: [{ currency: 'USD', amount: '0.9' }], ttc: '0.80', due: '0.80' },
    { ht: 0.7, tva: 0.1, ttc: 0.8 },
  ],
  [
    'VAT in two currencies',
    {
      ht: '1',
      tva: [
        { currency: 'USD', amount: '9' },
        { currency: 'EUR', amount: '0.2' },
      ],
      ttc: '1.2',
      due: '1.2',
    },
    { ht: 1, tva: 0.2, ttc: 1.2 },
  ],
  [
    'many zeros',
    { ht: '100.0000', tva: [{ currency: 'EUR', amount: '0.0000' }], ttc: '+100', due: '100' },
    { ht: 100, tva: 0, ttc: 100 },
  ],
  [
    'a zero with a sign',
    { ht: '-0.00', tva: [{ currency: 'EUR', amount: '-0' }], ttc: '0', due: '0' },
    { ht: 0, tva: 0, ttc: 0 },
  ],
  [
    'large',
    { ht: '9999999999999.99', tva: [], ttc: '9999999999999.99', due: '0' },
    { ht: 9999999999999.99, tva: 0, ttc: 9999999999999.99 },
  ],
])('amounts: %s', (_what, totals, amounts) => {
  expect(read({ totals, vat: [] }).amounts).toEqual(amounts);
});

test.each(['NA', 'n/a', 'Dummywert', 'DUMMY-1', '-', 'Néant', '0', 'X'])('an order called %j is no order', (order) => {
  const { matchHints, references } = read({ order });
  expect([matchHints.poRef, references]).toEqual([null, []]);
});

test.each<[string, Partial<Sample>, string | null]>([
  ['a note names it', { notes: [{ text: 'Suite au ticket N° INT-2026-004.' }] }, 'INT-2026-004'],
  ['a line names it', { lines: [{ name: 'Ticket #4711 dépannage', ht: '0.10' }] }, '4711'],
  ['it is the buyer reference', { buyerReference: 'TICKET:20261187' }, '20261187'],
  ['twice the same', { notes: [{ text: 'ticket 4711' }], buyerReference: 'Ticket 4711' }, '4711'],
  ['two of them', { notes: [{ text: 'ticket 4711 et ticket 4712' }] }, null],
  ['the word alone', { notes: [{ text: 'ticket de caisse joint' }] }, null],
  ['a reference without the word', { order: 'BC-4711' }, null],
])('the ticket: %s', (_what, change, ticketRef) => {
  expect(read(change).matchHints.ticketRef).toBe(ticketRef);
});

test('dates of CII are read in format 102, also with a time', () => {
  const xml = writeCii(full).replace('>20261005<', '>202610052359<').replace('format="102"', 'format="203"');
  expect(readEInvoice(Buffer.from(xml)).issueDate).toBe('2026-10-05');
});

test('a receipt is also read outside the delivery, where a widely used generator writes it', () => {
  const receipt =
    '<ram:ReceivingAdviceReferencedDocument><ram:IssuerAssignedID>BR-4</ram:IssuerAssignedID></ram:ReceivingAdviceReferencedDocument>';
  const xml = writeCii(basic).replace('<ram:ApplicableHeaderTradeSettlement>', (start) => receipt + start);
  expect(readEInvoice(Buffer.from(xml)).references).toEqual([{ kind: 'receipt', value: 'BR-4' }]);
});

test('an extension cannot pass for an element of the standard', () => {
  const foreign = '<x:ID xmlns:x="urn:example">FALSE</x:ID>';
  const xml = writeUbl(basic).replace('<cbc:ID>17', `${foreign}<cbc:ID>17`);
  expect(readEInvoice(Buffer.from(xml)).number).toBe('17');
});

test.each([
  ['the usual prefixes', 'cbc', 'cac'],
  ['none that anybody uses', 'a', 'b-1'],
])('any prefixes are read: %s', (_which, cbc, cac) => {
  const xml = writeUbl(full)
    .replaceAll(/\bcbc\b/g, cbc)
    .replaceAll(/\bcac\b/g, cac);
  expect(readEInvoice(Buffer.from(xml))).toEqual(readEInvoice(Buffer.from(writeUbl(full))));
});

describe('fields that the extended profiles (of Factur-X and of the French reform) add to EN 16931', () => {
  test('lines that group or explain others are notes, or the lines would be more than the total', () => {
    const lines = [
      { subtype: 'GROUP', name: 'Lot 1, ticket 2026-118', ht: '30.00' },
      { subtype: 'DETAIL', name: 'Pose', ht: '20.00' },
      { subtype: 'INFORMATION', name: 'Outillage', note: 'fourni', qty: '1', ht: '0.00' },
      { name: 'Dépose', ht: '10.00' },
    ];
    const invoice = read({ lines });
    expect(invoice.lines.map(({ label, ht }) => [label, ht])).toEqual([
      ['Pose', 20],
      ['Dépose', 10],
    ]);
    expect(invoice.notes).toEqual(['Lot 1, ticket 2026-118', 'Outillage', 'fourni']);
    expect(invoice.matchHints.ticketRef).toBe('2026-118');
    expect(invoice.references).toEqual([]);
  });

  test('places and references of lines count as those of the document', () => {
    const line = { name: 'Pose', ht: '0.10', delivery: { name: 'Résidence du Parc', city: 'Lyon' } };
    const lines = [
      { ...line, despatch: 'BL-8' },
      { ...line, subtype: 'DETAIL', preceding: 'F-9' },
    ];
    const invoice = read({ lines });
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
      readEInvoice(Buffer.from(writeCii(basic).replace('<ram:SpecifiedTradeSettlementHeader', (next) => terms + next)))
        .dueDate;
    expect([early + late, late + early, early].map(dueDate)).toEqual(['2026-03-02', '2026-03-02', '2026-02-10']);
    // Terms without a date are ignored.
    expect(dueDate(late + early.replace('"102"', '"610"'))).toBe('2026-03-02');
  });
});
