import type { CanonicalInvoice } from '@app/contracts';
import { toCanonical } from './canonical.ts';
import { readCii } from './cii.ts';
import type { Facts, Identifier } from './facts.ts';
import { refused } from './faults.ts';
import { embeddedInvoice, embedsInvoice, isPdf } from './pdf-attachments.ts';
import { readUbl } from './ubl.ts';
import { decodeXml } from './xml-text.ts';
import { parseXml } from './xml-tree.ts';

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd:';
const cii = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';

/** By namespace and name of the root. */
const readers: Record<string, typeof readUbl> = {
  [`{${ubl}Invoice-2}Invoice`]: readUbl,
  [`{${ubl}CreditNote-2}CreditNote`]: readUbl,
  [`{${cii}}CrossIndustryInvoice`]: readCii,
};

/**
 * Reads an e-invoice of EN 16931: UBL 2.1 Invoice or CreditNote, CII D16B, or a PDF that embeds one (Factur-X, ZUGFeRD 2,
 * XRechnung). An ordinary invoice takes a millisecond; one at the limits takes seconds, so it is called in a process of its own
 * (libs/providers/invoice-reader.ts).
 * @throws AppError invalid `document_refused` for what is not read at all: hostile, broken, too large, no e-invoice;
 * invalid `unmappable` for an e-invoice whose facts are missing or wrong
 */
export function readEInvoice(bytes: Buffer): CanonicalInvoice {
  return toCanonical(factsIn(bytes));
}

/**
 * What an answer has to repeat of an invoice, and the canonical one has no place for: its type as it stands there (BT-3), and
 * the address at which its seller takes answers (BT-34).
 */
export type ReplyFacts = { typeCode: string | null; sellerAddress: Identifier | null };

/**
 * The invoice with what an answer to it repeats: the document is gone through once for both.
 * @throws AppError as `readEInvoice`
 */
export function readToReply(bytes: Buffer): ReplyFacts & { invoice: CanonicalInvoice } {
  const facts = factsIn(bytes);
  const { typeCode, supplier } = facts;
  return { invoice: toCanonical(facts), typeCode, sellerAddress: supplier.electronicAddress };
}

function factsIn(bytes: Buffer): Facts {
  const root = parseXml(decodeXml(isPdf(bytes) ? embeddedInvoice(bytes) : bytes));
  const read = readers[`{${root.namespace}}${root.name}`];
  if (read === undefined) {
    throw refused(
      `the root element ${root.name.slice(0, 80)} is no UBL 2.1 invoice or credit note and no CII D16B invoice`,
    );
  }
  return read(root);
}

/**
 * Whether a document is, or embeds, what `readEInvoice` reads: told by the names in it, without reading it. False for
 * the plain PDF or picture that many invoices come with.
 * @throws AppError invalid `document_refused` for a PDF beyond the limits
 */
export function hasEInvoice(bytes: Buffer): boolean {
  if (isPdf(bytes)) return embedsInvoice(bytes);
  const start = bytes.toString('latin1', 0, 8192).replaceAll('\0', '');
  return /^\W{0,8}</.test(start) && /<(?:[\w.-]{1,80}:)?(?:Invoice|CreditNote|CrossIndustryInvoice)[\s/>]/.test(start);
}
