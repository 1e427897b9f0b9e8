import type { InvoiceFacts } from '../flow.ts';
import { all, type Element, parseXml, textAt } from '../life-cycle/xml.ts';

/** Larger ones are of tests of limits. */
const maxReadBytes = 1_000_000;

/** What a life-cycle message repeats of an invoice in UBL or CII, exactly as it is written; null of any other file, or a large one. */
export function factsOf(document: Buffer): InvoiceFacts | null {
  const isRead = document.length <= maxReadBytes && document.subarray(0, 5).toString() !== '%PDF-';
  const root = isRead ? parseXml(document.toString('utf8')) : null;
  if (root === null) return null;
  const facts = root.name === 'CrossIndustryInvoice' ? ofCii(root) : ofUbl(root);
  const { number, issueDate, typeCode } = facts;
  return number === null || issueDate === null || typeCode === null ? null : { ...facts, number, issueDate, typeCode };
}

function ofUbl(root: Element) {
  const siren = (role: string) => identified(all(root, `${role}/Party/PartyLegalEntity/CompanyID`));
  return {
    number: textAt(root, 'ID'),
    issueDate: textAt(root, 'IssueDate'),
    typeCode: textAt(root, 'InvoiceTypeCode') ?? textAt(root, 'CreditNoteTypeCode'),
    seller: siren('AccountingSupplierParty'),
    buyer: siren('AccountingCustomerParty'),
  };
}

function ofCii(root: Element) {
  const agreement = 'SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement';
  const siren = (role: string) => identified(all(root, `${agreement}/${role}/SpecifiedLegalOrganization/ID`));
  const date = textAt(root, 'ExchangedDocument/IssueDateTime/DateTimeString');
  return {
    number: textAt(root, 'ExchangedDocument/ID'),
    issueDate: date?.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3') ?? null,
    typeCode: textAt(root, 'ExchangedDocument/TypeCode'),
    seller: siren('SellerTradeParty'),
    buyer: siren('BuyerTradeParty'),
  };
}

/** Scheme 0002 of ISO 6523 is the SIREN. */
function identified(ids: Element[]): string | null {
  return ids.find(({ attributes }) => attributes['schemeID'] === '0002')?.text ?? null;
}
