import { refused } from '../errors.ts';
import { maxXmlBytes } from '../xml/xml-text.ts';
import { type PdfObjects, readObjects } from './pdf-objects.ts';
import { isDict, type PdfDict, textOf } from './pdf-syntax.ts';

/** Names of the invoice file that Factur-X, ZUGFeRD 2 and XRechnung prescribe. */
const invoiceNames = ['factur-x.xml', 'zugferd-invoice.xml', 'xrechnung.xml'];
const maxInvoices = 5;

/** Some writers put other bytes before the header. */
export function isPdf(bytes: Buffer): boolean {
  return bytes[0] !== 0x3c && bytes.subarray(0, 1024).includes('%PDF-');
}

/**
 * Extracts the XML of the e-invoice that a PDF embeds. If the PDF is damaged, it may be one that a later revision removed.
 * @throws AppError invalid `document_refused` if there is none, it cannot be read, or there are several that differ
 */
export function embeddedInvoice(pdf: Buffer): { xml: Buffer; isDamaged: boolean } {
  const objects = readObjects(pdf, isInvoice);
  const specs = objects.fileSpecs;
  if (specs.length === 0) {
    const hint = pdf.includes('/Encrypt') ? '; it is encrypted' : '';
    throw refused(`the PDF embeds no e-invoice (${invoiceNames.join(', ')})${hint}`);
  }
  if (specs.length > maxInvoices) throw refused(`the PDF names more than ${maxInvoices} e-invoices`);
  const [invoice, ...others] = specs.map((spec) => contentOf(spec, objects));
  if (!invoice) throw refused('the e-invoice in the PDF is no stream that is plain or deflated, or it is encrypted');
  if (others.some((other) => !other?.equals(invoice))) throw refused('the PDF embeds several e-invoices that differ');
  return { xml: invoice, isDamaged: objects.isDamaged };
}

function isInvoice({ entries }: PdfDict): boolean {
  // Some writers give it with its folder.
  const names = ['/UF', '/F'].map((key) => textOf(entries.get(key))?.toLowerCase().split(/[/\\]/).at(-1));
  return names.some((name) => name !== undefined && invoiceNames.includes(name));
}

function contentOf({ entries }: PdfDict, { resolve, streamAt }: PdfObjects): Buffer | null {
  const files = resolve(entries.get('/EF'));
  if (!isDict(files)) return null;
  return streamAt(files.entries.get('/F') ?? files.entries.get('/UF'), maxXmlBytes);
}
