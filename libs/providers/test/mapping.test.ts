import { AppError } from '@app/kernel';
import { day, decimal } from '../parsing/fields.ts';
import { normalizePennylane } from '../pennylane/mapping.ts';
import { normalizeSandbox } from '../sandbox/mapping.ts';
import { ublInvoice } from './ubl-invoice.ts';

const unmappable = (sentence: RegExp) =>
  expect.objectContaining({ kind: 'invalid', code: 'unmappable', message: expect.stringMatching(sentence) });
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

test.each([
  ['625.20', 625.2],
  ['0.10', 0.1],
  ['1234567890.12', 1234567890.12],
  ['9007199254740.99', 9007199254740.99],
  ['-12.30', -12.3],
  ['-0.00', 0],
  ['007.50', 7.5],
  ['+3', 3],
  ['5.', 5],
  [' 12 ', 12],
  [12.5, 12.5],
  ['', null],
  [null, null],
  [undefined, null],
])('the amount %j is %j', (written, expected) => {
  expect(decimal('amount', written)).toBe(expected);
});

test.each([
  '1,50',
  '1 000.00',
  '12e3',
  'NaN',
  'abc',
  '0x10',
  '--1',
  '99999999999999999999.99',
  '0.12345678901234567890',
])('the amount %j is no exact number', (written) =>
  expect(() => decimal('amounts.ht', written)).toThrow(unmappable(/^amounts\.ht /)),
);

test.each([
  ['2026-11-16', '2026-11-16'],
  ['2026-11-16T23:59:00+02:00', '2026-11-16'],
  ['2028-02-29', '2028-02-29'],
  [null, null],
])('the date %j is %j', (written, expected) => expect(day('the issue date', written)).toBe(expected));

test.each(['2026-02-29', '2026-13-01', '0001-01-01', '16/11/2026', '20261116', 'soon'])('%j is no date', (written) => {
  expect(() => day('the issue date', written)).toThrow(unmappable(/issue date is no date/));
});

describe('sandbox', () => {
  const invoice = {
    number: 'F1',
    issue_date: '2026-11-16',
    currency: 'eur',
    amounts: { ht: '100.00', tva: '20.00', ttc: '120.00' },
  };
  const mapped = (given: Record<string, unknown>) => normalizeSandbox(json({ ...invoice, ...given }));

  test('a payload with only the required fields is read', () => {
    expect(mapped({})).toEqual({
      kind: 'invoice',
      number: 'F1',
      issueDate: '2026-11-16',
      dueDate: null,
      currency: 'EUR',
      supplier: { externalId: null, name: null, siret: null, siren: null, vatNumber: null, accounts: [] },
      buyer: null,
      amounts: { ht: 100, tva: 20, ttc: 120 },
      vatBreakdown: [],
      lines: [],
      matchHints: { poRef: null, ticketRef: null, orderRef: null },
      references: [],
      notes: [],
      places: [],
      providerStatus: null,
      warnings: [],
    });
  });

  test.each([
    ['number', /has no number/],
    ['issue_date', /has no issue date/],
    ['currency', /has no currency/],
    ['amounts', /has no amount including VAT/],
  ])('without %s it is unmappable', (field, sentence) => {
    expect(() => mapped({ [field]: undefined })).toThrow(unmappable(sentence));
  });

  const cents = { ht: 0.1, tva: 0.2, ttc: 0.3 };
  const numbers = { siren: '732829320', siret: '73282932000074' };
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['VAT is what is left, to the cent', { amounts: { ht: '0.10', ttc: '0.30' } }, { amounts: cents }],
    ['and so is the amount without VAT', { amounts: { tva: '0.20', ttc: '0.30' } }, { amounts: cents }],
    ['a negative total is a credit note', { amounts: { ttc: '-120', tva: '-20' } }, { kind: 'credit_note' }],
    ['a corrective stays one', { kind: 'corrective' }, { kind: 'corrective' }],
    ['an unknown kind is an invoice', { kind: 'pro forma' }, { kind: 'invoice' }],
    ['the SIREN comes from the SIRET', { supplier: { siret: '732 829 320 00074' } }, { supplier: numbers }],
    ['a SIRET under the name of SIREN is found', { supplier: { siren: '73282932000074' } }, { supplier: numbers }],
    [
      'or from a French VAT number',
      { supplier: { vat_number: 'FR 44 732829320' } },
      { supplier: { siren: '732829320', vatNumber: 'FR44732829320' } },
    ],
    [
      'an account that is no IBAN is kept, to be flagged',
      { supplier: { iban: 'fr76 1234' } },
      { supplier: { accounts: ['FR76 1234'] } },
    ],
    [
      'what it can do without is left out where it cannot be read, with a warning',
      { due_date: '0001-01-01', lines: [{ label: 'x', quantity: 'deux', ht: '2' }], vat_breakdown: [{ rate: '0.2' }] },
      {
        dueDate: null,
        lines: [{ label: 'x', qty: null, ht: 2 }],
        vatBreakdown: [],
        warnings: [
          'the due date is no date',
          'the invoice has no vat_breakdown.0.base',
          'lines.0.quantity is no decimal number of at most 40 digits',
        ],
      },
    ],
    [
      'every reference is kept with its place',
      { references: { sales_order: 'D-7', contract: 'C1', ticket: 'T-9' } },
      {
        matchHints: { poRef: null, ticketRef: 'T-9', orderRef: 'D-7' },
        references: [
          { kind: 'sales_order', value: 'D-7' },
          { kind: 'contract', value: 'C1' },
        ],
      },
    ],
  ])('%s', (_name, given, expected) => {
    expect(mapped(given)).toMatchObject(expected);
  });
});

describe('pennylane', () => {
  const invoice = {
    invoice_number: 'F1',
    date: '2026-11-16',
    currency: 'USD',
    amount: '110.00',
    currency_amount: '120.00',
    currency_amount_before_tax: '100.00',
    currency_tax: '20.00',
    tax: '18.00',
    label: 'Facture F1 - ticket T-12',
    payment_status: 'to_be_paid',
    external_reference: 'PO-9',
  };
  const payload = (given: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) =>
    json({ invoice: { ...invoice, ...given }, lines: [], supplier: null, purchase_requests: [], ...rest });
  const line = (vat_rate: string, ttc = '12.00', tax = '2.00') => ({
    label: 'x',
    currency_amount: ttc,
    currency_tax: tax,
    vat_rate,
  });

  test('amounts are those of its own currency, not those in euros', () => {
    expect(normalizePennylane(payload(), null)).toMatchObject({
      currency: 'USD',
      amounts: { ht: 100, tva: 20, ttc: 120 },
    });
  });

  test.each([
    ['FR_200', 0.2],
    ['FR_100', 0.1],
    ['FR_55', 0.055],
    ['FR_21', 0.021],
    ['DE_190', 0.19],
    ['exempt', 0],
    ['extracom', 0],
    ['FR_1_05', null],
  ])('the VAT code %s is the rate %j', (code, rate) => {
    const { lines, vatBreakdown } = normalizePennylane(payload({}, { lines: [line(code)] }), null);
    expect(lines[0]).toMatchObject({ ht: 10, vatRate: rate });
    expect(vatBreakdown).toEqual(rate === null ? [] : [{ rate, base: 10, amount: 2 }]);
  });

  test('the breakdown adds up in whole cents', () => {
    const lines = [line('FR_200', '0.12', '0.02'), line('FR_200', '0.24', '0.04'), line('FR_100', '1.10', '0.10')];
    expect(normalizePennylane(payload({}, { lines }), null).vatBreakdown).toEqual([
      { rate: 0.2, base: 0.3, amount: 0.06 },
      { rate: 0.1, base: 1, amount: 0.1 },
    ]);
  });

  test('the linked purchase request goes before the reference; both are looked at, and the label is free text', () => {
    const linked = { purchase_requests: [{ id: 1, purchase_order_number: 'PO-1' }] };
    expect(normalizePennylane(payload({}, linked), null)).toMatchObject({
      matchHints: { poRef: 'PO-1', ticketRef: null, orderRef: null },
      references: [
        { kind: 'order', value: 'PO-1' },
        { kind: 'order', value: 'PO-9' },
      ],
      notes: ['Facture F1 - ticket T-12'],
    });
    expect(normalizePennylane(payload(), null).matchHints.poRef).toBe('PO-9');
  });

  test('its status is that of the tax platform, else that of its payment; without the first it is no e-invoice', () => {
    const read = (given: object, document: Buffer | null) => {
      const { providerStatus, isElectronic } = normalizePennylane(payload({ ...given }), document);
      return [providerStatus, isElectronic];
    };
    for (const document of [null, ublInvoice()]) {
      expect(read({ e_invoicing: null }, document)).toEqual(['to_be_paid', false]);
      expect(read({ e_invoicing: { status: 'refused' } }, document)).toEqual(['refused', undefined]);
    }
  });

  test('an e-invoice takes precedence; Pennylane adds what the e-invoice has no field for', () => {
    const supplier = { id: 5, name: 'Misread by a machine', reg_no: '552081317' };
    const raw = payload({ invoice_number: 'FA-20Z6-O1O1', currency_amount: '6252.00' }, { supplier });
    expect(normalizePennylane(raw, ublInvoice())).toMatchObject({
      number: 'FA-2026-0101',
      currency: 'EUR',
      amounts: { ht: 521, tva: 104.2, ttc: 625.2 },
      supplier: { externalId: '5', name: 'Chauffage Durand SARL', siren: '732829320' },
      notes: expect.arrayContaining(['Facture F1 - ticket T-12']),
      providerStatus: 'to_be_paid',
    });
  });

  test.each([
    ['a picture of an invoice', Buffer.from('%PDF-1.4 nothing inside')],
    ['hostile XML', Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><Invoice>&b;</Invoice>')],
    ['an empty file', Buffer.alloc(0)],
  ])('%s leaves what Pennylane says', (_name, document) => {
    expect(normalizePennylane(payload(), document)).toEqual(normalizePennylane(payload(), null));
  });

  test('what it can do without is left out where it cannot be read, with a warning', () => {
    const read = normalizePennylane(payload({ deadline: 'soon' }, { lines: [line('FR_200', '12,00')] }), null);
    expect(read).toMatchObject({
      dueDate: null,
      lines: [{ ht: null, vatRate: 0.2 }],
      vatBreakdown: [],
      warnings: ['lines.0.currency_amount is no decimal number of at most 40 digits', 'the due date is no date'],
    });
    expect(read.lines[0]).not.toHaveProperty('tax');
  });

  test('an invoice that Pennylane has not read yet is unmappable', () => {
    expect(() => normalizePennylane(payload({ invoice_number: '' }), null)).toThrow(unmappable(/has no number/));
    expect(() => normalizePennylane(payload({ date: null }), null)).toThrow(AppError);
  });
});
