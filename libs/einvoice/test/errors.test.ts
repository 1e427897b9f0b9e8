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
const line = full.lines[0] as Sample['lines'][number];

test.each<[string, Partial<Sample>, string]>([
  ['a month 13', { issueDate: '2026-13-01' }, 'issue date (BT-2) is no date'],
  ['the 30th of February', { issueDate: '2026-02-30' }, 'issue date (BT-2) is no date'],
  ['the 29th of February of 2026', { dueDate: '2026-02-29' }, 'due date (BT-9) is no date'],
  ['a date in words', { dueDate: 'fin du mois' }, 'due date (BT-9) is no date'],
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
  ['a quantity in words', { lines: [line, { ...line, qty: 'deux' }] }, 'quantity (BT-129) of line 2'],
  ['a price with a currency', { lines: [{ ...line, price: '12 EUR' }] }, 'net price (BT-146) of line 1'],
  [
    'a rate with its sign',
    { vat: [{ category: 'S', base: '1', amount: '1', percent: '20 %' }] },
    'rate (BT-119) of VAT group 1',
  ],
])('%s: unmappable, and the message says where', (_fault, change, message) => {
  const sample = { ...basic, ...change };
  expect(faultOf(writeUbl(sample))).toMatchObject(unmappable(message));
  expect(faultOf(writeCii(sample))).toMatchObject(unmappable(message));
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
