import type { CanonicalInvoice } from '@app/contracts';
import { toCanonical } from './canonical.ts';
import type { DocumentFields, Identifier } from './document-fields.ts';
import { refused } from './errors.ts';
import { embeddedInvoice, isPdf } from './pdf/pdf-attachments.ts';
import { readCii } from './xml/cii.ts';
import { readUbl } from './xml/ubl.ts';
import { decodeXml } from './xml/xml-text.ts';
import { parseXml } from './xml/xml-tree.ts';

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd:';
const cii = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';

/** By namespace and name of the root element. */
const readers: Record<string, typeof readUbl> = {
  [`{${ubl}Invoice-2}Invoice`]: readUbl,
  [`{${ubl}CreditNote-2}CreditNote`]: readUbl,
  [`{${cii}}CrossIndustryInvoice`]: readCii,
};

/**
 * Reads an e-invoice of EN 16931: UBL 2.1 Invoice or CreditNote, CII D16B, or a PDF that embeds one (Factur-X, ZUGFeRD 2,
 * XRechnung). An ordinary invoice takes a millisecond, one at the limits takes seconds: call it in a worker process
 * (libs/providers/reading/invoice-reader.ts).
 * @throws AppError invalid `document_refused` for a document that cannot be read at all (hostile, broken, too large, no
 * e-invoice), invalid `unmappable` for an e-invoice with missing or wrong fields
 */
export function readEInvoice(bytes: Buffer): CanonicalInvoice {
  return canonicalOf(readFields(bytes));
}

/**
 * Fields that a response to an invoice repeats and the canonical invoice does not have: the document type (BT-3) and the
 * seller's electronic address (BT-34).
 */
export type ReplyFields = { typeCode: string | null; sellerAddress: Identifier | null };

/**
 * The canonical invoice with the fields for a response to it.
 * @throws AppError as `readEInvoice`
 */
export function readToReply(bytes: Buffer): ReplyFields & { invoice: CanonicalInvoice } {
  const read = readFields(bytes);
  const { typeCode, supplier } = read.fields;
  return { invoice: canonicalOf(read), typeCode, sellerAddress: supplier.electronicAddress };
}

type Read = { fields: DocumentFields; isDamaged: boolean };

function canonicalOf({ fields, isDamaged }: Read): CanonicalInvoice {
  const invoice = toCanonical(fields);
  const damage = 'the PDF is damaged: its attachment was found by a search, and may be one that was removed';
  return isDamaged ? { ...invoice, warnings: [damage, ...invoice.warnings] } : invoice;
}

function readFields(bytes: Buffer): Read {
  const { xml, isDamaged } = isPdf(bytes) ? embeddedInvoice(bytes) : { xml: bytes, isDamaged: false };
  const root = parseXml(decodeXml(xml));
  const read = readers[`{${root.namespace}}${root.name}`];
  if (read === undefined) {
    throw refused(
      `the root element ${root.name.slice(0, 80)} is no UBL 2.1 invoice or credit note and no CII D16B invoice`,
    );
  }
  return { fields: read(root), isDamaged };
}
