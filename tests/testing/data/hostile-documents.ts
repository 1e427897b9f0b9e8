import { deflateSync } from 'node:zlib';

const namespaces = [
  'xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"',
  'xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"',
  'xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"',
].join(' ');
/** The header of a valid invoice. */
const headerFields = `<cbc:ID>F-1</cbc:ID><cbc:IssueDate>2026-11-16</cbc:IssueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">1.00</cbc:TaxExclusiveAmount>
<cbc:TaxInclusiveAmount currencyID="EUR">1.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>`;
const mega = 1024 * 1024;

/** A small invoice in UBL with whatever else is put into it. */
export function ublWith(content: string): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Invoice ${namespaces}>${headerFields}${content}</Invoice>`,
  );
}

function pdf(...objects: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...objects]);
}

function stream(number: number, dict: string, bytes: Buffer): Buffer {
  const head = `${number} 0 obj\n<< ${dict} /Length ${bytes.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream\nendobj\n')]);
}

const fileSpec = (number: number) => Buffer.from(`${number} 0 obj << /F (factur-x.xml) /EF << /F 1 0 R >> >> endobj\n`);
const fileSpecs = (count: number) => Buffer.concat(Array.from({ length: count }, (_, index) => fileSpec(index + 2)));

/** An invoice with `count` lines that have no content. */
export function emptyLines(count: number): Buffer {
  return ublWith('<cac:InvoiceLine/>'.repeat(count));
}

/** A PDF that embeds these bytes as an e-invoice. */
export function pdfEmbedding(xml: Buffer): Buffer {
  return pdf(stream(1, '/Filter /FlateDecode', deflateSync(xml, { level: 9 })), fileSpecs(1));
}

/**
 * An attachment that inflates to 20 MB and is broken at its end, and `specs` file specifications
 * that lead to it.
 */
export function brokenAttachment(specs: number): Buffer {
  const deflated = deflateSync(Buffer.alloc(20 * mega, ' '), { level: 9 });
  return pdf(stream(1, '/Filter /FlateDecode', deflated.subarray(0, -6)), fileSpecs(specs));
}

/** An object stream of a few kilobytes whose header names `objects` objects. */
export function crowdedObjectStream(objects: number): Buffer {
  const header = '1 0 '.repeat(objects);
  const dict = `/Type /ObjStm /N ${objects} /First ${header.length} /Filter /FlateDecode`;
  return pdf(stream(1, dict, deflateSync(`${header}[]`, { level: 9 })));
}

/** As costly as an invoice can be without passing a limit: it is read, and takes a second or more. With fewer elements, less. */
export function costlyInvoice(elements = 490_000): Buffer {
  const depth = 90;
  const nested = `${'<cbc:a>'.repeat(depth)}${'<cbc:a b=""/>'.repeat(elements)}${'</cbc:a>'.repeat(depth)}`;
  return ublWith(nested);
}

/**
 * Documents that would keep a service from serving other companies if reading them were not
 * bounded. Each call makes a new one.
 */
export const hostileDocuments: Record<string, () => Buffer> = {
  'sixty thousand empty lines in a PDF': () => pdfEmbedding(emptyLines(60_000)),
  'nine hundred thousand of them': () => pdfEmbedding(emptyLines(900_000)),
  'one attachment that can’t be inflated, named two thousand times': () => brokenAttachment(2_000),
  'ten million objects named in the header of an object stream': () => crowdedObjectStream(10_000_000),
  'an invoice as costly as the limits let it be': () => pdfEmbedding(costlyInvoice()),
};
