import { writeCii } from './cii.ts';
import { asDocument, euros, type Invoice } from './invoice.ts';
import { pdfOf } from './pdf.ts';
import { writeUbl } from './ubl.ts';

export type InvoiceFile = { name: string; type: string; bytes: Buffer };

/** The file of an invoice: of ten six are Factur-X PDFs, two CII and two UBL, by its number. */
export function fileOf(signed: Invoice): InvoiceFile {
  const invoice = asDocument(signed);
  const name = invoice.number;
  const form = Number(invoice.number.replace(/\D/g, '')) % 10;
  if (form >= 8) return { name: `${name}.xml`, type: 'application/xml', bytes: Buffer.from(writeUbl(invoice)) };
  if (form >= 6) return { name: `${name}.xml`, type: 'application/xml', bytes: Buffer.from(writeCii(invoice)) };
  return { name: `${name}.pdf`, type: 'application/pdf', bytes: pdfOf([pageOf(invoice)], writeCii(invoice)) };
}

/** What people read of it, line by line. */
export function pageOf(invoice: Invoice): string[] {
  const { kind, number, issueDate, dueDate, seller, order, salesOrder, preceding, site, currency, note } = invoice;
  const said = (label: string, value: string | null) => (value === null ? [] : [`${label} : ${value}`]);
  return [
    seller.name,
    `${seller.address.street}, ${seller.address.postcode} ${seller.address.city}`,
    ...said('SIRET', seller.siret),
    '',
    `${kind === 'invoice' ? 'Facture' : 'Avoir'} ${number}`,
    ...said('Date', issueDate),
    ...said('Échéance', dueDate),
    ...said('Commande', order),
    ...said('Devis', salesOrder),
    ...said('Facture d’origine', preceding),
    `Site : ${site.name}, ${site.postcode} ${site.city}`,
    ...(note === null ? [] : [note]),
    '',
    ...invoice.lines.map(({ label, cents }) => `${label} : ${euros(cents)} ${currency}`),
    '',
    `Total HT : ${euros(invoice.net)} ${currency}`,
    `TVA 20 % : ${euros(invoice.vat)} ${currency}`,
    `Total TTC : ${euros(invoice.total)} ${currency}`,
    ...said('IBAN', seller.iban),
  ];
}
