import { missing } from '../../fake-server/http-server.ts';
import { writeCii } from '../../invoices/cii.ts';
import { asDocument, type Invoice, type Party, type Seller } from '../../invoices/invoice.ts';
import { pageOf } from '../../invoices/invoice-file.ts';
import { pdfOf } from '../../invoices/pdf.ts';
import { writeUbl } from '../../invoices/ubl.ts';
import type { DocType, FlowFile, InvoiceFacts } from '../flow.ts';
import { factsOf } from './invoice-facts.ts';

/** What is asked of an invoice; all but its number has a value of its own. Amounts are in cents, without VAT. */
export type WantedInvoice = { number: string; syntax?: string } & Partial<
  Omit<Invoice, 'number' | 'seller' | 'buyer' | 'net' | 'vat' | 'total'>
> & { seller?: Partial<Seller>; buyer?: Partial<Party> };

/** What a flow has of an invoice. */
export type InvoiceContent = {
  syntax: string;
  facts: InvoiceFacts | null;
  documents: Partial<Record<DocType, FlowFile>>;
};

const address = { street: '4 rue des Ateliers', postcode: '69007', city: 'Lyon' };
const seller = {
  name: 'Atelier Rivière',
  siren: '356000000',
  siret: '35600000009075',
  vatNumber: 'FR39356000000',
  iban: 'FR7630006000011234567890189',
  address,
};
const buyer = { name: 'Buyer', siren: '732829320', siret: '73282932000074', vatNumber: null, address };

/**
 * An invoice with VAT of 20 % in UBL (the default), CII or Factur-X; converted, it is in the other syntax.
 * @throws HttpError 422
 */
export function makeInvoice({ syntax = 'UBL', ...wanted }: WantedInvoice): InvoiceContent {
  const invoice = asDocument(invoiceOf(wanted));
  const name = invoice.number.replace(/[^\w.-]/g, '_');
  const pdf = (xml: string | null) => ({ name: `${name}.pdf`, bytes: pdfOf([pageOf(invoice)], xml) });
  const [ubl, cii] = [writeUbl, writeCii].map((write) => ({ name: `${name}.xml`, bytes: Buffer.from(write(invoice)) }));
  const original = { UBL: ubl, CII: cii, 'Factur-X': pdf(writeCii(invoice)) }[syntax];
  if (!original || !ubl || !cii) throw missing('invoice.syntax');
  const converted = syntax === 'UBL' ? cii : ubl;
  const documents = { Original: original, Converted: converted, ReadableView: pdf(null) };
  return { syntax, facts: factsOf(ubl.bytes), documents };
}

function invoiceOf({ seller: ofSeller, buyer: ofBuyer, ...wanted }: WantedInvoice): Invoice {
  if (typeof wanted.number !== 'string' || wanted.number === '') throw missing('invoice.number');
  const { lines = [{ label: 'Repair', cents: 10_000 }], kind = 'invoice' } = wanted;
  const net = lines.reduce((sum, { cents }) => sum + cents, 0);
  const vat = Math.round(net * 0.2);
  return {
    id: wanted.number,
    issueDate: new Date().toISOString().slice(0, 10),
    dueDate: null,
    currency: 'EUR',
    order: null,
    salesOrder: null,
    preceding: null,
    site: { name: 'Lyon', ...address },
    note: null,
    status: 'received',
    ...wanted,
    kind,
    seller: partyOf(seller, ofSeller),
    buyer: partyOf(buyer, ofBuyer),
    lines,
    net,
    vat,
    total: net + vat,
  };
}

/** With a SIREN of its own and no SIRET, a party has none: those of the example are of another company. */
function partyOf<Kind extends Party>(example: Kind, given: Partial<Kind> = {}): Kind {
  const ownSiren = given.siren !== undefined && given.siren !== example.siren;
  return { ...example, ...(ownSiren ? { siret: null, vatNumber: null } : {}), ...given };
}
