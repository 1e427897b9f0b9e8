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

const legal = (value: string, scheme?: string) => ({ legalId: scheme === undefined ? { value } : { scheme, value } });
const ids = (value: string, scheme?: string) => ({ ids: [scheme === undefined ? { value } : { scheme, value }] });
const address = (scheme: string, value: string) => ({ address: { scheme, value } });

test.each<[string, Partial<SampleParty>, string | null, string | null]>([
  ['the SIREN under 0002', legal(siren, '0002'), siren, null],
  ['a SIRET under 0002', legal(siret, '0002'), siren, siret],
  ['a SIRET under 0009', ids(siret, '0009'), siren, siret],
  ['a SIREN under 0009', ids(siren, '0009'), siren, null],
  ['a register and its town', legal('RCS Lyon B 732 829 320'), siren, null],
  ['a legal id without a scheme', legal(siret), siren, siret],
  ['an id without a scheme', ids(siren), siren, null],
  ['a scheme by its name', ids(siret, 'FR:SIRET'), siren, siret],
  ['another scheme by its name', ids(siren, 'SIRENE'), siren, null],
  ['the electronic address', address('0225', siren), siren, null],
  ['that of an establishment', address('0225', `${siren}_${siret}`), siren, siret],
  ['that of a service', address('0225', `${siren}_${siret}_COMPTA`), siren, siret],
  ['that of a mailbox', address('0225', `${siren}_FACTURES`), siren, null],
  ['the VAT number alone', { vat: 'FR44732829320' }, siren, null],
  ['the VAT number as an address', address('9957', 'FR44732829320'), siren, null],
  ['a SIREN with a wrong key under its scheme', legal('732829321', '0002'), '732829321', null],
  ['leading zeros lost', legal('5720784', '0002'), '005720784', null],
  ['the registration before the VAT number', { ...legal(siren, '0002'), vat: 'FR11123456782' }, siren, null],
  [
    'the SIRET of the registered company',
    { ...legal(siren, '0002'), ids: [...ids('35600000000048', '0009').ids, ...ids(siret, '0009').ids] },
    siren,
    siret,
  ],
  ['nine digits with no scheme and no key', ids('732829321'), null, null],
  ['nine digits of a DUNS', ids(siren, '0060'), null, null],
  ['a GLN', ids('3012345678905', '0088'), null, null],
  ['the number of the tax office', { taxNumber: siren }, null, null],
  ['a mail address', address('EM', `${siren}@example.org`), null, null],
  ['a German registration', { country: 'DE', ...legal(siren), vat: 'DE123456788' }, null, null],
  ['nothing', {}, null, null],
])('the numbers of the supplier: %s', (_where, numbers, expectedSiren, expectedSiret) => {
  expect(read(seller(numbers)).supplier).toMatchObject({ siren: expectedSiren, siret: expectedSiret });
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

test.each<[string, string[], string[]]>([
  ['an IBAN', ['FR1420041010050500013M02606'], ['FR1420041010050500013M02606']],
  ['two', ['NO9386011117947', 'DE89370400440532013000'], ['DE89370400440532013000', 'NO9386011117947']],
  ['a wrong check digit', ['FR1520041010050500013M02606'], ['FR1520041010050500013M02606']],
  ['a national account, then an IBAN', ['123456', 'DE89370400440532013000'], ['123456', 'DE89370400440532013000']],
])('all accounts are read: %s', (_what, accounts, expected) => {
  expect(read({ accounts }).supplier.accounts).toEqual(expected);
});

test('an invoice with more accounts than anybody has is refused', () => {
  const accounts = Array.from({ length: 101 }, (_, index) => `${1_000 + index}`);
  expect(() => read({ accounts })).toThrow(expect.objectContaining({ code: 'unmappable' }));
});

const total = (currency: string, amount: string) => ({ currency, amount });
const totals = (ht: string, tva: ReturnType<typeof total>[] | string, ttc: string): Sample['totals'] => ({
  ht,
  ttc,
  due: ttc,
  tva: typeof tva === 'string' ? [total('EUR', tva)] : tva,
});

test.each<[string, Partial<Sample>, string]>([
  ['380', { typeCode: '380' }, 'invoice'],
  ['381 with amounts above zero', { typeCode: '381' }, 'credit_note'],
  ['380 with a total below zero', { totals: totals('-0.10', '-0.02', '-0.12') }, 'credit_note'],
  ['384', { typeCode: '384' }, 'corrective'],
  ['261, self-billed', { typeCode: '261' }, 'credit_note'],
  ['386, a deposit', { typeCode: '386' }, 'invoice'],
])('the kind of %s', (_what, change, kind) => {
  expect(read(change).kind).toBe(kind);
});

test('a credit note keeps the signs of its document', () => {
  const below = totals('-10.00', '-2.00', '-12.00');
  expect(read({ typeCode: '381', totals: below }).amounts).toEqual({ ht: -10, tva: -2, ttc: -12 });
  expect(read({ typeCode: '381' }).amounts).toEqual({ ht: 0.1, tva: 0.02, ttc: 0.12 });
});

const large = '9999999999999.99';
test.each<[string, Sample['totals'], [number, number, number]]>([
  ['prepaid: the total, not what is due', { ...totals('100', '20', '120'), prepaid: '120', due: '0' }, [100, 20, 120]],
  ['no VAT total: the difference, to the cent', totals('1000.10', [], '1200.12'), [1000.1, 200.02, 1200.12]],
  ['VAT in another currency alone', totals('0.70', [total('USD', '0.9')], '0.80'), [0.7, 0.1, 0.8]],
  ['VAT in two currencies', totals('1', [total('USD', '9'), total('EUR', '0.2')], '1.2'), [1, 0.2, 1.2]],
  ['many zeros', totals('100.0000', '0.0000', '+100'), [100, 0, 100]],
  ['a zero with a sign', totals('-0.00', '-0', '0'), [0, 0, 0]],
  ['large', totals(large, [], large), [9999999999999.99, 0, 9999999999999.99]],
])('amounts: %s', (_what, written, [ht, tva, ttc]) => {
  expect(read({ totals: written, vat: [] }).amounts).toEqual({ ht, tva, ttc });
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

test('the number is every character of it, spaces included', () => {
  expect(read({ number: 'FA  2026   01' }).number).toBe('FA  2026   01');
});

test('a currency in small letters is one', () => {
  expect(read({ currency: 'eur', totals: totals('0.10', [total('eur', '0.02')], '0.12') })).toMatchObject({
    currency: 'EUR',
    amounts: { ht: 0.1, tva: 0.02, ttc: 0.12 },
  });
});

test.each([
  ['12.34', '1000000000', 1.234e-8],
  ['1', '3', 1 / 3],
  ['12.34', '100', 0.1234],
])('the price of one, where it is %s for %s, is exact', (price, priceFor, unitPrice) => {
  expect(read({ lines: [{ name: 'Vis', ht: '0.10', price, priceFor }] }).lines[0]?.unitPrice).toBe(unitPrice);
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
