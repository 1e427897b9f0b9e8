import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import zlib, { deflateSync } from 'node:zlib';
import { brokenAttachment, crowdedObjectStream, emptyLines, pdfEmbedding, ublWith } from '@app/testing';
import { readEInvoice } from '../index.ts';
import { readCii } from '../xml/cii.ts';
import { readUbl } from '../xml/ubl.ts';
import { parseXml, type XmlElement } from '../xml/xml-tree.ts';
import { basic } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { object, revise, start, streamObject, writePdf } from './write-pdf.ts';
import { writeUbl } from './write-ubl.ts';

/** These tests count steps of work, because seconds depend on the machine. */

const mega = 1024 * 1024;
const line = { name: 'Pièce', qty: '1', price: '1', ht: '1', percent: '20' };
const ofLines = (count: number) => ({ ...basic, lines: Array.from({ length: count }, () => line) });

/** Returns a function that says how often the children of these elements were read. */
function countChildReads(elements: XmlElement[]): () => number {
  let reads = 0;
  for (const element of elements) {
    const { children } = element;
    Object.defineProperty(element, 'children', {
      get() {
        reads += 1;
        return children;
      },
    });
  }
  return () => reads;
}

test.each([
  ['UBL', writeUbl, readUbl, (root: XmlElement) => root],
  ['CII', writeCii, readCii, (root: XmlElement) => root.children.at(-1) as XmlElement],
] as const)(
  '%s: the element that holds the lines is searched as often for a thousand lines as for ten',
  (_, write, read, holder) => {
    const reads = [10, 1_000].map((count) => {
      const root = parseXml(write(ofLines(count)));
      const readsSoFar = countChildReads([root, holder(root)]);
      expect(read(root).lines).toHaveLength(count);
      return readsSoFar();
    });
    expect(reads[1]).toBe(reads[0]);
  },
);

test('lines are counted before any of them is read', () => {
  const root = parseXml(emptyLines(10_001).toString());
  const readsSoFar = countChildReads(root.children.filter(({ name }) => name === 'InvoiceLine'));
  expect(() => readUbl(root)).toThrow('the invoice has more than 10000 lines (BG-25)');
  expect(readsSoFar()).toBe(0);
});

test('line ends of any kind count, and are read as one character', () => {
  const noted = (end: string) => readEInvoice(ublWith(`<cbc:Note>a${end}b</cbc:Note>`)).notes;
  expect(['\n', '\r\n', '\r'].map(noted)).toEqual([['a\nb'], ['a\nb'], ['a\nb']]);
  expect(() => readEInvoice(ublWith('\r'.repeat(1_000_001)))).toThrow('more than 1000000');
  expect(readEInvoice(ublWith('\r\n'.repeat(990_000))).number).toBe('F-1');
});

describe('inflated streams', () => {
  const inflate = jest.spyOn(zlib, 'inflateSync');
  beforeEach(() => inflate.mockClear());
  afterAll(() => inflate.mockRestore());
  /** The most bytes that were inflated, failures included. */
  const allowed = () =>
    inflate.mock.calls.reduce((sum, [, options]) => sum + (options?.maxOutputLength ?? Infinity), 0);

  test('an attachment is inflated once, however often it is named', () => {
    const again = '40 0 obj << /F (factur-x.xml) /EF << /F 1 0 R >> >> endobj\n';
    const pdf = Buffer.concat([pdfEmbedding(Buffer.from(writeUbl(basic))), Buffer.from(again)]);
    expect(readEInvoice(pdf).number).toBe('17');
    expect(inflate).toHaveBeenCalledTimes(1);
  });

  test('so is one that can’t be inflated', () => {
    expect(() => readEInvoice(brokenAttachment(5))).toThrow('no stream that is plain or deflated');
    expect(inflate).toHaveBeenCalledTimes(1);
  });

  test('more than five file specifications of an e-invoice are refused, and nothing is inflated for them', () => {
    expect(() => readEInvoice(brokenAttachment(6))).toThrow('the PDF names more than 5 e-invoices');
    expect(inflate).not.toHaveBeenCalled();
  });

  test('streams that fail at their end are charged like those that do not', () => {
    const broken = deflateSync(Buffer.alloc(10 * mega), { level: 9 }).subarray(0, -6);
    const dict = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${broken.length} >>`;
    const streams = Array.from({ length: 200 }, (_, index) => streamObject(index + 1, dict, broken));
    expect(() => readEInvoice(Buffer.concat([Buffer.from('%PDF-1.7\n'), ...streams]))).toThrow('holds more than');
    expect(allowed()).toBeLessThanOrEqual(61 * mega);
  });

  test('streams that are not deflated cost nothing: an invoice behind many of them is read', () => {
    const noise = Buffer.alloc(100_000, 'encrypted ');
    const dict = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${noise.length} >>`;
    const streams = Array.from({ length: 20 }, (_, index) => streamObject(index + 100, dict, noise));
    expect(readEInvoice(Buffer.concat([writePdf(writeUbl(basic)), ...streams])).number).toBe('17');
  });
});

test('an object stream has as many objects as its /N says, and no positions beyond its /First', () => {
  const spec = '<< /F (factur-x.xml) /EF << /F 1 0 R >> >>';
  const invoice = streamObject(1, '<< >>', Buffer.from(writeUbl(basic)));
  const named = (pairs: string, numbers: object) => {
    const { N, First } = { N: 1, First: pairs.length, ...numbers };
    const dict = `<< /Type /ObjStm /N ${N} /First ${First} >>`;
    return Buffer.concat([Buffer.from('%PDF-1.7\n'), invoice, streamObject(2, dict, Buffer.from(`${pairs}${spec}`))]);
  };
  expect(readEInvoice(named('5 0 ', {})).number).toBe('17');
  for (const pdf of [
    named('4 50 5 0 ', {}),
    named('5 0 ', { First: 2 }),
    named('5 0 ', { First: 10_000 }),
    named('5 0 ', { First: -1 }),
  ])
    expect(() => readEInvoice(pdf)).toThrow('embeds no e-invoice');
});

test('an update of an object removes its file specification', () => {
  // Without a cross-reference, so that the file is searched.
  const pdf = writePdf(writeUbl(basic));
  const searched = pdf.subarray(0, pdf.lastIndexOf('xref\n0 1'));
  expect(() => readEInvoice(Buffer.concat([searched, object(5, 'null')]))).toThrow('embeds no e-invoice');
});

test('the header of an object stream is read only as far as needed: two million objects in it take no memory', async () => {
  const worker = new Worker(join(__dirname, 'programs/read-in-thread.ts'), {
    resourceLimits: { maxOldGenerationSizeMb: 48 },
  });
  worker.postMessage(crowdedObjectStream(2_000_000));
  const [answer] = await once(worker, 'message');
  await worker.terminate();
  expect(answer).toBe('the PDF has more than 200000 objects');
});

test.each([
  ['', '/W [0 1 0]', 2_000_000],
  ['predicted ', '/W [0 1 0] /DecodeParms << /Predictor 12 /Columns 1 >>', 4_000_000],
])('a cross-reference of millions of %srows is refused', (_form, how, bytes) => {
  const rows = deflateSync(Buffer.alloc(bytes), { level: 9 });
  const dict = `<< /Type /XRef /Root 1 0 R /Index [0 2000000] /Filter /FlateDecode ${how} /Length ${rows.length} >>`;
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    streamObject(9, dict, rows),
    Buffer.from('startxref\n9\n%%EOF'),
  ]);
  expect(() => readEInvoice(pdf)).toThrow('more than 1000000 objects');
});

test('a cross-reference of a million empty parts is refused', () => {
  const parts = Buffer.from(
    `%PDF-1.7\nxref\n${'0 0\n'.repeat(1_000_001)}trailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF`,
  );
  expect(() => readEInvoice(parts)).toThrow('more than 1000000 objects');
});

test('streams without an end, which the catalog leads to, are not each searched to the end of the file', () => {
  const numbers = Array.from({ length: 300 }, (_, index) => index + 10);
  const opened = numbers.map((number) => Buffer.from(`${number} 0 obj<<>>stream\n`));
  const root = object(1, `<< /Type /Catalog /AF [${numbers.map((number) => `${number} 0 R`).join(' ')}] >>`);
  const pdf = revise(start, [root, ...opened, Buffer.from(`900 0 obj (${' '.repeat(mega)}) endobj\n`)]);
  expect(() => readEInvoice(pdf)).toThrow('the streams of the PDF have more than');
});

test('object streams that contain each other lead nowhere', () => {
  const root = object(1, '<< /Type /Catalog /AF [20 0 R] /Names 1 0 R >>');
  const compressed = [20, 21].map((number): [number, number, number, number] => [number, 2, 41 - number, 0]);
  expect(() => readEInvoice(revise(start, [root], { compressed, form: 'stream' }))).toThrow('embeds no e-invoice');
});
