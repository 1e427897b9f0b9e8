import { deflateSync } from 'node:zlib';
import { readEInvoice } from '../index.ts';
import { basic, full } from './sample.ts';
import { object, streamObject, writePdf } from './write-pdf.ts';
import { writeUbl } from './write-ubl.ts';

const xml = writeUbl(basic);
const declaration = /^<\?xml[^>]*\?>/;
const withDtd = (dtd: string) => xml.replace(declaration, (head) => `${head}${dtd}`);
const inside = (content: string) => xml.replace('</Invoice>', `${content}</Invoice>`);
const entities = Array.from(
  { length: 20 },
  (_, index) => `<!ENTITY e${index + 1} "&e${index};&e${index};&e${index};">`,
).join('');
const mega = 1024 * 1024;

/** Each of these would take minutes or gigabytes if it were read, but is refused within the time of a test. */
test.each<[string, () => Buffer | string, string]>([
  ['a document type', () => withDtd('<!DOCTYPE Invoice>'), 'DTD'],
  [
    'a file of the server',
    () => withDtd('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace('>17<', '>&x;<'),
    'DTD',
  ],
  [
    'entities of entities',
    () => withDtd(`<!DOCTYPE a [<!ENTITY e0 "lol">${entities}]>`).replace('>17<', '>&e20;<'),
    'DTD',
  ],
  ['a parameter entity', () => withDtd('<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]>'), 'DTD'],
  ['a document type without an end', () => withDtd('<!DOCTYPE a ['), 'not well-formed'],
  ['an entity that nobody declared', () => xml.replace('>17<', '>&x;<'), 'not well-formed'],
  ['more than 20 MB', () => Buffer.alloc(21 * mega, ' <a>'), `at most ${20 * mega} are read`],
  ['elements without end', () => inside('<a/>'.repeat(1_100_000)), 'more than 1000000 elements'],
  ['attributes of many elements', () => inside('<a b="" c=""/>'.repeat(400_000)), 'more than 1000000 elements'],
  ['entities without end', () => inside('&amp;'.repeat(1_100_000)), 'more than 1000000 elements'],
  ['lines without end', () => inside('\r\n'.repeat(1_100_000)), 'more than 1000000 elements'],
  ['elements of elements', () => inside(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`), 'nested deeper than 100'],
  ['elements never closed', () => inside('<a>'.repeat(100_000)), 'nested deeper than 100'],
  [
    'attributes without end',
    () => inside(`<a ${Array.from({ length: 100_000 }, (_, i) => `b${i}=""`).join(' ')}/>`),
    'more than 50 attributes',
  ],
  ['an element cut off', () => xml.slice(0, -20), 'not well-formed'],
  ['a prefix that nobody declared', () => inside('<zz:a/>'), 'not well-formed'],
  ['two roots', () => `${xml}<a/>`, 'not well-formed'],
  ['a name of megabytes', () => inside(`<${'a'.repeat(mega)}>`), 'not well-formed'],
  ['a zero byte', () => xml.replace('>17<', '>1\x007<'), 'not well-formed'],
  ['bytes that are no UTF-8', () => Buffer.from(writeUbl(basic), 'latin1'), 'bytes that are not'],
  ['an encoding of another world', () => xml.replace('UTF-8', 'IBM037'), 'written in IBM037'],
  ['UTF-32', () => Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0, 0x61, 0, 0, 0]), 'not well-formed'],
  ['nothing', () => '', 'not well-formed'],
  ['text', () => 'Facture n° 17', 'not well-formed'],
  ['a picture', () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), 'bytes that are not'],
  ['a web page', () => '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', 'root element html'],
  ['an order', () => '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>', 'root element Order'],
  ['the name in another namespace', () => '<Invoice xmlns="urn:example"><ID>17</ID></Invoice>', 'root element Invoice'],
  [
    'ZUGFeRD 1',
    () => '<CrossIndustryDocument xmlns="urn:ferd:CrossIndustryDocument:invoice:1p0"/>',
    'CrossIndustryDocument',
  ],
])('XML with %s is refused', (_what, make, message) => {
  expect(() => readEInvoice(Buffer.from(make()))).toThrow(
    expect.objectContaining({ kind: 'invalid', code: 'document_refused', message: expect.stringContaining(message) }),
  );
});

const bomb = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * mega, 0x20), { level: 9 });
const pdf = (...parts: Buffer[]) => Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts]);
const small = bomb(8);
const objectStream = (first: number, content: Buffer, count = 1) =>
  `<< /Type /ObjStm /N ${count} /First ${first} /Filter /FlateDecode /Length ${content.length} >>`;
const spec = '<< /F (factur-x.xml) /EF << /F 6 0 R >> >>';
/** Ten thousand positions of the same megabyte. */
const overlapping = deflateSync(`${'1 0 '.repeat(10_000)}<${'00'.repeat(500_000)}>`);
const beyond = bomb(61);

test.each<[string, () => Buffer, string]>([
  ['an attachment that unpacks to 61 MB', () => writePdf('', { stream: beyond }), `more than ${20 * mega} bytes`],
  ['an object stream that does', () => pdf(streamObject(1, objectStream(4, beyond), beyond)), 'more than'],
  [
    'many that do together',
    () => pdf(...Array.from({ length: 9 }, (_, i) => streamObject(i + 1, objectStream(4, small), small))),
    'more than',
  ],
  [
    'places that all lead to one',
    () => pdf(streamObject(1, objectStream(40_000, overlapping, 10_000), overlapping)),
    'outside its streams',
  ],
  ['more than 50 MB', () => pdf(Buffer.alloc(50 * mega)), 'at most'],
  [
    'objects without end',
    () => pdf(Buffer.from(Array.from({ length: 200_001 }, (_, index) => `${index} 0 obj<<>>`).join(''))),
    'more than 200000 objects',
  ],
  ['an array without end', () => pdf(Buffer.from(`1 0 obj [${'1 0 obj ['.repeat(250_000)}`)), 'embeds no'],
  ['streams without end', () => pdf(Buffer.from('1 0 obj<<>>stream '.repeat(mega))), 'embeds no'],
  ['strings without end', () => pdf(Buffer.from('1 0 obj<'.repeat(4 * mega))), 'outside its streams'],
  ['digits without end', () => pdf(Buffer.from('1'.repeat(4 * mega))), 'embeds no'],
  ['spaces before each word', () => pdf(Buffer.from(`${' '.repeat(500)}obj`.repeat(20_000))), 'embeds no'],
  ['dictionaries in dictionaries', () => pdf(object(1, '<< /A '.repeat(mega))), 'embeds no'],
  [
    'a specification that leads to itself',
    () => pdf(object(5, '<< /F (factur-x.xml) /EF 5 0 R >>')),
    'no stream that is plain',
  ],
  ['a specification that leads nowhere', () => pdf(object(5, spec)), 'no stream that is plain'],
  [
    'a filter that leads to itself',
    () => pdf(object(5, spec), streamObject(6, '<< /Filter 6 0 R >>', Buffer.from('x'))),
    'no stream that is plain',
  ],
])('a PDF with %s is refused', (_what, make, message) => {
  expect(() => readEInvoice(make())).toThrow(
    expect.objectContaining({ kind: 'invalid', code: 'document_refused', message: expect.stringContaining(message) }),
  );
});

const plain = readEInvoice(Buffer.from(writeUbl(full)));
const declared = (encoding: string) =>
  writeUbl(full).replaceAll('’', "'").replaceAll('œ', 'oe').replace('UTF-8', encoding);
const straight = readEInvoice(Buffer.from(declared('UTF-8')));

test.each<[string, Buffer, typeof plain]>([
  ['a byte order mark', Buffer.from(`\ufeff${writeUbl(full)}`), plain],
  ['no declaration', Buffer.from(writeUbl(full).replace(declaration, '')), plain],
  ['UTF-16, the low byte first', Buffer.from(`\ufeff${writeUbl(full).replace('UTF-8', 'UTF-16')}`, 'utf16le'), plain],
  ['UTF-16, the high byte first', Buffer.from(`\ufeff${writeUbl(full)}`, 'utf16le').swap16(), plain],
  ['UTF-16 without its mark', Buffer.from(writeUbl(full), 'utf16le'), plain],
  ['UTF-16 by its declaration alone', Buffer.from(writeUbl(full).replace('UTF-8', 'utf-16')), plain],
  ['ISO-8859-1', Buffer.from(declared('ISO-8859-1'), 'latin1'), straight],
  ['ISO-8859-15', Buffer.from(declared('iso-8859-15'), 'latin1'), straight],
  ['Windows-1252', Buffer.from(declared('windows-1252'), 'latin1'), straight],
  [
    'comments and instructions',
    Buffer.from(writeUbl(full).replace('<cbc:ID>', '<!-- <!DOCTYPE a> --><?x y?><cbc:ID>')),
    plain,
  ],
  [
    'an attachment of megabytes',
    Buffer.from(writeUbl(full).replace('</Invoice>', `<cbc:X>${'QUJD'.repeat(mega / 2)}</cbc:X></Invoice>`)),
    plain,
  ],
])('XML with %s is read', (_what, bytes, expected) => {
  expect(readEInvoice(bytes)).toEqual(expected);
});

test('ten thousand lines are read', () => {
  const amount = '<cbc:LineExtensionAmount currencyID="EUR">1</cbc:LineExtensionAmount>';
  const line = `<cac:InvoiceLine>${amount}<cac:Item><cbc:Name>x</cbc:Name></cac:Item></cac:InvoiceLine>`;
  expect(readEInvoice(Buffer.from(inside(line.repeat(9_999)))).lines).toHaveLength(10_000);
});

test('an invoice fits into a database document, however long its texts are', () => {
  const long = 'é'.repeat(100_000);
  const notes = Array.from({ length: 1_500 }, (_, index) => ({ text: `${index} ${'n'.repeat(1_500)}` }));
  const seller = { ...basic.seller, name: long };
  const invoice = readEInvoice(
    Buffer.from(writeUbl({ ...basic, seller, notes, order: long, lines: [{ name: long, ht: '1' }] })),
  );
  expect(Buffer.byteLength(JSON.stringify(invoice))).toBeLessThan(2 * mega);
});

test.each(['', '<', 'Invoice', '%PDF', '<?xml version="1.0"?><a/>', '{"a":"<Invoice >"}', '\0\0\0'])(
  '%j is no e-invoice',
  (text) => {
    expect(() => readEInvoice(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'document_refused' }));
  },
);
