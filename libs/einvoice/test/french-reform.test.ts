import { readEInvoice } from '../index.ts';
import { basic, type Sample } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writeUbl } from './write-ubl.ts';

const read = (write: (sample: Sample) => string, change: Partial<Sample>) =>
  readEInvoice(Buffer.from(write({ ...basic, ...change })));

const notes = [
  { code: 'PMT', text: 'Indemnité forfaitaire de 40 €, ticket 9999' },
  { code: 'PMD', text: 'Pénalités de retard' },
  { code: 'AAB', text: 'Escompte néant' },
  { code: 'AAI', text: 'Suite au ticket 4711' },
];

describe.each([
  ['UBL', writeUbl],
  ['CII', writeCii],
])('%s', (_syntax, write) => {
  test('notes that the law wants are no notes about the work', () => {
    const { notes: kept, matchHints } = read(write, { notes });
    expect([kept, matchHints.ticketRef]).toEqual([['Suite au ticket 4711'], '4711']);
  });

  test.each([
    ['S2', [expect.stringContaining('paid already')], undefined],
    ['B8', [expect.stringContaining('several suppliers')], true],
    ['M9', [expect.stringContaining('bills both ways')], true],
    ['B1', [], undefined],
    ['urn:fdc:peppol.eu:2017:poacc:billing:01:1.0', [], undefined],
  ])('the kind of billing %s is told to people', (process, warnings, isShared) => {
    const invoice = read(write, { process });
    expect([invoice.warnings, invoice.isShared]).toEqual([warnings, isShared]);
  });
});

test('UBL writes several notes in one', () => {
  const text = `avant #PMT#40 € #AAI#Suite au ticket 4711 #PMD#pénalités #ABC#fin`;
  expect(read(writeUbl, { notes: [{ text }] }).notes).toEqual(['avant', 'Suite au ticket 4711', 'fin']);
});
