import { deflateSync } from 'node:zlib';
import { readEInvoice } from '../index.ts';
import { basic, full } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { catalog, object, type Predict, png, revise, start, streamObject, tiff, writePdf } from './write-pdf.ts';
import { writeUbl } from './write-ubl.ts';

const xml = writeCii(full);
const invoice = readEInvoice(Buffer.from(xml));
const refused = (message: string) =>
  expect.objectContaining({ kind: 'invalid', code: 'document_refused', message: expect.stringContaining(message) });

test.each<[string, Buffer]>([
  ['in a plain stream', writePdf(xml, { form: 'plain' })],
  ['in a deflated stream', writePdf(xml)],
  ['named in an object stream', writePdf(xml, { form: 'objects' })],
  ['in a stream whose length stands in another object', writePdf(xml, { length: '7 0 R' })],
  ['in a stream with a wrong length', writePdf(xml, { length: '17' })],
  ['in a stream with a length beyond the file', writePdf(xml, { length: '999999999' })],
  ['behind other bytes', Buffer.concat([Buffer.from('\r\n\0junk\n'), writePdf(xml)])],
  ['named by an older profile', writePdf(xml, { name: '(zugferd-invoice.xml)' })],
  ['named by XRechnung', writePdf(xml, { name: '(xrechnung.xml)' })],
  ['named in capitals', writePdf(xml, { name: '(Factur-X.xml)' })],
  ['named in hexadecimal', writePdf(xml, { name: '<666163747572 2D782E786D6C>' })],
  ['named in UTF-16', writePdf(xml, { name: '<FEFF0066006100630074007500720 02D0078002E0078006D006C>' })],
  ['named in UTF-8, with its mark', writePdf(xml, { name: '<EFBBBF 666163747572 2D782E786D6C>' })],
  ['named in this folder', writePdf(xml, { name: '(./factur-x.xml)' })],
  ['named in a folder of Windows', writePdf(xml, { name: '(C:\\\\export\\\\factur-x.xml)' })],
  ['named with escapes', writePdf(xml, { name: '(\\146actur\\055x.\\\nxml)' })],
  ['and is UBL', writePdf(writeUbl(full))],
  ['and has a byte order mark', writePdf(`\ufeff${xml}`)],
])('the e-invoice in a PDF is read: %s', (_where, pdf) => {
  expect(readEInvoice(pdf)).toEqual(invoice);
});

const attachment = (number: number, content: string) => {
  const bytes = deflateSync(content);
  return streamObject(number, `<< /Type /EmbeddedFile /Filter [/FlateDecode] /Length ${bytes.length} >>`, bytes);
};
const spec = (number: number, file: number) =>
  object(number, `<< /Type /Filespec /F (factur-x.xml) /EF << /F ${file} 0 R >> >>`);
const other = writeCii(basic);

describe.each(['table', 'stream', 'both'] as const)(
  'of a revised PDF (%s) what the current catalog reaches counts',
  (form) => {
    const revised = (objects: Buffer[], free: number[] = []) => revise(writePdf(xml), objects, { form, free });

    test('a replaced attachment is read, not the one before', () => {
      expect(readEInvoice(revised([attachment(6, other)])).number).toBe('17');
      const renamed = revised([object(1, catalog.replaceAll('5 0 R', '30 0 R')), spec(30, 31), attachment(31, other)]);
      expect(readEInvoice(renamed)).toMatchObject({ number: '17', warnings: [] });
    });

    test('what the catalog leads to no more is not', () => {
      const later = revise(revised([attachment(6, other)]), [object(1, '<< /Type /Catalog /Pages 2 0 R >>')], { form });
      expect(() => readEInvoice(later)).toThrow(refused('embeds no e-invoice'));
    });

    test.each([
      ['file specification', 5, 'embeds no e-invoice'],
      ['content', 6, 'no stream'],
    ])('nor is one whose %s is deleted', (_what, number, message) => {
      expect(() => readEInvoice(revised([], [number]))).toThrow(refused(message));
    });

    test('nor what nothing leads to', () => {
      expect(readEInvoice(revised([spec(30, 31), attachment(31, other)]))).toEqual(invoice);
    });
  },
);

describe.each<[string, Predict]>([
  ['no predictor', { parms: '', encode: (plain) => plain }],
  ...[0, 1, 2, 3, 4].map((filter): [string, Predict] => [`filter ${filter} of PNG`, png(filter)]),
  ['rows of PNG that do not keep to the filter named', png(4, 10)],
  ['the predictor of TIFF', tiff],
])('a stream with %s is decoded', (_what, predict) => {
  test('as a cross-reference', () => {
    // An attachment that was removed, which a scan would find.
    const removed = revise(writePdf(xml), [object(1, '<< /Type /Catalog /Pages 2 0 R >>')], {
      form: 'stream',
      predict,
    });
    expect(() => readEInvoice(removed)).toThrow(refused('embeds no e-invoice'));
    const replaced = revise(writePdf(xml), [attachment(6, other)], { form: 'stream', predict });
    expect(readEInvoice(replaced)).toMatchObject({ number: '17', warnings: [] });
  });

  test('as an attachment, whose last row may be shorter', () => {
    const stream = deflateSync(predict.encode(Buffer.from(xml), 60));
    const pdf = writePdf(xml, { stream, more: `/DecodeParms << ${predict.parms} /Colors 1 /Columns 60 >> ` });
    expect(readEInvoice(pdf)).toEqual(invoice);
    const elsewhere = writePdf(xml, { stream, more: '/DecodeParms 30 0 R ' });
    expect(readEInvoice(revise(elsewhere, [object(30, `<< ${predict.parms} /Columns 60 >>`)]))).toEqual(invoice);
  });
});

test.each<[string, (pdf: Buffer) => Buffer]>([
  ['has no cross-reference', (pdf) => pdf.subarray(0, pdf.lastIndexOf('xref\n0 1'))],
  ['is cut short', (pdf) => pdf.subarray(0, -20)],
  [
    'has a cross-reference that leads elsewhere',
    (pdf) => Buffer.concat([start, Buffer.from('%\n'), pdf.subarray(start.length)]),
  ],
  [
    'has revisions that lead to each other',
    (pdf) =>
      Buffer.from(
        pdf.toString('latin1').replace('/Size 50', `/Size 50 /Prev ${pdf.lastIndexOf('xref\n0 1')}`),
        'latin1',
      ),
  ],
  [
    'has a root that is no catalog',
    (pdf) => Buffer.from(pdf.toString('latin1').replace('/Root 1', '/Root 2'), 'latin1'),
  ],
])('a damaged PDF is searched, which its invoice says: one that %s', (_how, damage) => {
  const { warnings, ...read } = readEInvoice(damage(writePdf(xml)));
  expect([read.number, warnings]).toEqual([invoice.number, [expect.stringContaining('the PDF is damaged')]]);
});

test('a file specification may be part of the list of names', () => {
  const names = '<< /Names << /EmbeddedFiles << /Kids [20 0 R] >> >> /Type /Catalog >>';
  const leaf = '<< /Names [(a) << /F (factur-x.xml) /EF 21 0 R >>] >>';
  const file = streamObject(22, `<< /Length ${Buffer.byteLength(xml)} >>`, Buffer.from(xml));
  const objects = [object(1, names), object(20, leaf), object(21, '<< /F 22 0 R >>'), file];
  expect(readEInvoice(revise(start, objects))).toEqual(invoice);
});

test('the same e-invoice embedded twice is read; two that differ are refused', () => {
  const second = (content: string) =>
    revise(writePdf(xml), [
      object(1, catalog.replace('[5 0 R]', '[5 0 R 30 0 R]')),
      spec(30, 31),
      attachment(31, content),
    ]);
  expect(readEInvoice(second(`${xml}`.trim())).number).toBe(invoice.number);
  expect(() => readEInvoice(second(other))).toThrow(refused('several e-invoices that differ'));
});

test.each<[string, Buffer]>([
  ['another attachment alone', writePdf(xml, { name: '(conditions.xml)' })],
  ['an order', writePdf(xml, { name: '(order-x.xml)' })],
  ['no attachment', Buffer.from('%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\n%%EOF')],
  ['nothing but a header', Buffer.from('%PDF-')],
  ['words that look like one, in a picture', writePdf('', { name: '(x)' })],
])('a PDF with %s has no e-invoice', (_what, pdf) => {
  expect(() => readEInvoice(pdf)).toThrow(refused('embeds no e-invoice'));
});

test.each<[string, Buffer, string]>([
  [
    'a stream that is broken',
    writePdf(xml, { stream: Buffer.from('no deflated bytes') }),
    'no stream that is plain or deflated',
  ],
  [
    'a stream cut short',
    writePdf(xml, { stream: deflateSync(xml).subarray(0, 400) }),
    'no stream that is plain or deflated',
  ],
  [
    'another filter',
    writePdf(xml, { form: 'plain', more: '/Filter /LZWDecode ' }),
    'no stream that is plain or deflated',
  ],
  ['two filters', writePdf(xml, { form: 'plain', more: '/Filter [/ASCII85Decode /FlateDecode] ' }), 'no stream'],
  ['text that is no XML', writePdf('Facture'), 'not well-formed'],
  ['XML that is no invoice', writePdf('<a/>'), 'root element a is'],
])('an e-invoice in a PDF with %s is refused', (_what, pdf, message) => {
  expect(() => readEInvoice(pdf)).toThrow(refused(message));
});

test('an encrypted PDF is refused, and the message says so', () => {
  const pdf = Buffer.concat([writePdf(xml, { name: '<00112233>' }), Buffer.from('trailer << /Encrypt 40 0 R >>')]);
  expect(() => readEInvoice(pdf)).toThrow(refused('it is encrypted'));
});
