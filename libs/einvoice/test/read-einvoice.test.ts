import type { CanonicalInvoice } from '@app/contracts';
import { readEInvoice, readToReply } from '../index.ts';
import { basic, full, minimum, type Sample } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writeUbl } from './write-ubl.ts';

const syntaxes = [
  ['UBL', writeUbl],
  ['CII', writeCii],
] as const;
const read = (xml: string) => readEInvoice(Buffer.from(xml));

const whole: CanonicalInvoice = {
  kind: 'invoice',
  number: 'F-2026-0118',
  issueDate: '2026-10-05',
  dueDate: '2026-11-04',
  currency: 'EUR',
  supplier: {
    externalId: null,
    name: 'Plomberie Durand & Fils',
    siren: '732829320',
    siret: '73282932000074',
    vatNumber: 'FR44732829320',
    accounts: ['FR1420041010050500013M02606'],
  },
  buyer: { name: 'Foncière du Lac', siren: '356000000', siret: '35600000000048' },
  amounts: { ht: 1250.5, tva: 231.33, ttc: 1481.83 },
  vatBreakdown: [
    { rate: 0.2, base: 1110.5, amount: 222.1 },
    { rate: 0.055, base: 40, amount: 2.2 },
    { rate: 0.0703, base: 100, amount: 7.03 },
  ],
  lines: [
    { label: 'Main d’œuvre', qty: 3.5, unitPrice: 317.285714, ht: 1110.5, vatRate: 0.2 },
    { label: 'Joints', qty: 200, unitPrice: 0.2, ht: 40, vatRate: 0.055 },
    { label: 'Forfait', qty: 1, unitPrice: 100, ht: 100, vatRate: 0.0703 },
  ],
  matchHints: { poRef: 'BC-2026-4411', ticketRef: '2026-1187', orderRef: 'DEV-877' },
  references: [
    { kind: 'order', value: 'BC-2026-4411' },
    { kind: 'sales_order', value: 'DEV-877' },
    { kind: 'buyer_reference', value: 'Agence Ouest' },
    { kind: 'project', value: 'PRJ-9' },
    { kind: 'contract', value: 'CT-55' },
    { kind: 'receipt', value: 'BR-12' },
    { kind: 'despatch', value: 'BL-31' },
    { kind: 'preceding_invoice', value: 'F-2026-0100' },
  ],
  notes: [
    'Intervention du 2 octobre, ticket n° 2026-1187',
    'Merci',
    'ANALYTIQUE-7',
    '30 jours',
    'LOT-2',
    'BI-118 Bon d’intervention',
    'deux techniciens',
    'Recherche de fuite, OT 5512',
    'Bon de travail BT-77',
    'COMPTEUR-3',
  ],
  places: ['Résidence Bellevue', 'SITE-42', '4 rue des Lilas, Bât. B, 69003, Lyon'],
  providerStatus: null,
  warnings: [],
};

test.each(syntaxes)('%s: every field of an invoice is read', (_syntax, write) => {
  expect(read(write(full))).toEqual(whole);
});

test.each(syntaxes)(
  '%s: a credit note has the same fields, and names the invoice that it credits',
  (_syntax, write) => {
    expect(read(write({ ...full, typeCode: '381' }))).toEqual({ ...whole, kind: 'credit_note' });
  },
);

test.each(syntaxes)('%s: an invoice with only the required fields is read', (_syntax, write) => {
  expect(read(write(basic))).toEqual({
    kind: 'invoice',
    number: '17',
    issueDate: '2026-01-31',
    dueDate: null,
    currency: 'EUR',
    supplier: {
      externalId: null,
      name: 'Élec Express',
      siren: '123456782',
      siret: null,
      vatNumber: 'FR11123456782',
      accounts: [],
    },
    buyer: { name: 'Foncière du Lac', siren: null, siret: null },
    amounts: { ht: 0.1, tva: 0.02, ttc: 0.12 },
    vatBreakdown: [{ rate: 0.2, base: 0.1, amount: 0.02 }],
    lines: [{ label: 'Fusible', qty: 1, unitPrice: 0.1, ht: 0.1, vatRate: 0.2 }],
    matchHints: { poRef: null, ticketRef: null, orderRef: null },
    references: [],
    notes: [],
    places: [],
    providerStatus: null,
    warnings: [],
  });
});

const variants: [string, Partial<Sample>][] = [
  ['the profile MINIMUM', minimum],
  ['a reverse charge without VAT', { vat: [{ category: 'AE', base: '0.10', amount: '0.00' }] }],
  ['a corrective invoice', { typeCode: '384', preceding: ['A-1', 'A-2'] }],
  ['an order of the contractor alone', { salesOrder: 'D-99' }],
  ['the due date of a credit note', { typeCode: '381', dueDate: '2026-03-01' }],
  [
    'a foreign seller',
    { seller: { name: 'Rohrbau GmbH', legalId: { value: 'HRB 732829320' }, vat: 'DE123456788', country: 'DE' } },
  ],
];

test.each(variants)('%s is the same invoice in either syntax', (_what, change) => {
  const sample = { ...basic, ...change };
  expect(read(writeUbl(sample))).toEqual(read(writeCii(sample)));
});

test.each(syntaxes)(
  '%s: an answer repeats the exact type, and goes to the seller’s electronic address',
  (_syntax, write) => {
    const replyTo = (sample: Sample) => {
      const { invoice, ...fields } = readToReply(Buffer.from(write(sample)));
      expect(invoice).toEqual(read(write(sample)));
      return fields;
    };
    const sellerAddress = { scheme: '0225', value: '732829320_73282932000074' };
    expect(replyTo({ ...full, typeCode: '386' })).toEqual({ typeCode: '386', sellerAddress });
    const empty = { ...basic, seller: { ...basic.seller, address: { scheme: '0225', value: '' } } };
    for (const sample of [basic, empty]) expect(replyTo(sample)).toEqual({ typeCode: '380', sellerAddress: null });
  },
);

test('the minimum has amounts, and neither lines nor a breakdown', () => {
  expect(read(writeCii(minimum))).toMatchObject({
    amounts: { ht: 0.1, tva: 0.02, ttc: 0.12 },
    vatBreakdown: [],
    lines: [],
  });
});
