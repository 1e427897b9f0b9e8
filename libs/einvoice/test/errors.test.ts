import { readEInvoice } from '../index.ts';
import { basic, full, type Sample } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writeUbl } from './write-ubl.ts';

const faultOf = (xml: string) => {
  try {
    return readEInvoice(Buffer.from(xml));
  } catch (error) {
    return error;
  }
};
const unmappable = (message: string) => ({
  kind: 'invalid',
  code: 'unmappable',
  message: expect.stringContaining(message),
});
const totals = (ht: string, ttc: string) => ({ totals: { ht, ttc, due: '1' } });

test.each<[string, Partial<Sample>, string]>([
  ['a month 13', { issueDate: '2026-13-01' }, 'issue date (BT-2) is no date'],
  ['the 30th of February', { issueDate: '2026-02-30' }, 'issue date (BT-2) is no date'],
  ['no number', { number: '' }, 'invoice number (BT-1) is missing'],
  ['a number as long as a letter', { number: 'F'.repeat(101) }, 'more than 100 characters'],
  ['no currency', { currency: '' }, 'currency (BT-5) is missing'],
  ['a currency sign', { currency: '€' }, 'currency (BT-5) is no code'],
  ['a comma in an amount', totals('0,10', '0.12'), 'total without VAT (BT-109) is no decimal number: "0,10"'],
  ['an exponent', totals('1e3', '0.12'), 'BT-109'],
  ['hexadecimal', totals('0x10', '0.12'), 'BT-109'],
  ['not a number', totals('0.10', 'NaN'), 'total with VAT (BT-112)'],
  ['no total without VAT', totals('', '0.12'), 'total without VAT (BT-109) in EUR is missing'],
  ['no total with VAT', totals('0.10', ''), 'total with VAT (BT-112) in EUR is missing'],
  ['a sum beyond all money', totals('12345678901234567.89', '1'), 'more than 15 digits'],
])('%s: unmappable, and the message says where', (_fault, change, message) => {
  const sample = { ...basic, ...change };
  expect(faultOf(writeUbl(sample))).toMatchObject(unmappable(message));
  expect(faultOf(writeCii(sample))).toMatchObject(unmappable(message));
});

const group = { category: 'S', base: '1', amount: '1' };

test.each<[string, Partial<Sample>, string, object]>([
  ['a day that no month has', { dueDate: '2026-02-29' }, 'due date (BT-9) is no date', { dueDate: null }],
  ['a date in words', { dueDate: 'fin du mois' }, 'due date (BT-9) is no date', { dueDate: null }],
  ['the date of no date', { dueDate: '0001-01-01' }, 'due date (BT-9) is no date', { dueDate: null }],
  ['a date of zeros', { dueDate: '0000-00-00' }, 'due date (BT-9) is no date', { dueDate: null }],
  [
    'a total of VAT in words',
    { totals: { ht: '0.10', tva: [{ currency: 'EUR', amount: 'zéro' }], ttc: '0.12', due: '0.12' } },
    'total of VAT (BT-110) is no decimal',
    { amounts: { ht: 0.1, tva: 0.02, ttc: 0.12 } },
  ],
  [
    'a quantity in words',
    { lines: [{ name: 'Pose', ht: '2.00', qty: 'deux' }] },
    'quantity (BT-129) of line 1',
    { lines: [{ label: 'Pose', qty: null, unitPrice: null, ht: 2, vatRate: null }] },
  ],
  [
    'a price with a currency',
    { lines: [{ name: 'Pose', ht: '2.00', price: '2 EUR' }] },
    'net price (BT-146) of line 1',
    { lines: [{ label: 'Pose', qty: null, unitPrice: null, ht: 2, vatRate: null }] },
  ],
  [
    'a rate with its sign',
    {
      vat: [
        { ...group, percent: '20 %' },
        { ...group, percent: '10' },
      ],
    },
    'rate (BT-119) of VAT group 1',
    { vatBreakdown: [{ rate: 0.1, base: 1, amount: 1 }] },
  ],
])('%s: that field is left out, and a warning says where', (_fault, change, warning, expected) => {
  for (const write of [writeUbl, writeCii]) {
    const warnings = [expect.stringContaining(warning)];
    expect(readEInvoice(Buffer.from(write({ ...basic, ...change })))).toMatchObject({ ...expected, warnings });
  }
});

test('of many warnings the first 20 are kept', () => {
  const lines = Array.from({ length: 30 }, () => ({ name: 'Pose', ht: 'deux' }));
  expect(readEInvoice(Buffer.from(writeUbl({ ...basic, lines }))).warnings).toHaveLength(20);
});

test('amounts in other currencies than the document’s are not its totals', () => {
  const xml = writeUbl(basic).replace('TaxExclusiveAmount currencyID="EUR"', 'TaxExclusiveAmount currencyID="USD"');
  expect(faultOf(xml)).toMatchObject(unmappable('BT-109) in EUR is missing'));
});

test('a date of CII in another format is refused, not guessed', () => {
  expect(faultOf(writeCii(basic).replace('format="102"', 'format="610"'))).toMatchObject(
    unmappable('BT-2) is in format 610'),
  );
});

// Whatever is removed from a document, it is read or refused; no other error is thrown.
test.each([
  ['UBL', writeUbl(full)],
  ['CII', writeCii(full)],
])('%s with any one element emptied or removed is read, or refused with a document error', (_syntax, xml) => {
  const elements = [...xml.matchAll(/<([a-z]+:\w+)[^<>]*>[^<>]+<\/\1>/g)];
  expect(elements.length).toBeGreaterThan(50);
  for (const { 0: element, index } of elements) {
    for (const replacement of [
      '',
      element.replace(/>[^<>]+</, '><'),
      element.replace(/>[^<>]+</, '>\u{1F600} 12,5<'),
    ]) {
      const result = faultOf(xml.slice(0, index) + replacement + xml.slice(index + element.length));
      expect(result).toEqual(
        expect.objectContaining(result instanceof Error ? { kind: 'invalid' } : { currency: 'EUR' }),
      );
    }
  }
});
