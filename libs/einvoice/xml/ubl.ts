import type { DocumentFields, LineFields, PartyFields } from '../document-fields.ts';
import { spokenTexts } from './notes.ts';
import { amountsAt, identifiersAt, joined, limitLines, type ReferencePaths, referencesAt } from './paths.ts';
import { all, first, textAt, texts, type XmlElement } from './xml-tree.ts';

/** Paths of the references of EN 16931 in UBL: of the document here, of its lines below. */
const referencePaths: ReferencePaths = [
  ['order', 'OrderReference/ID'],
  ['sales_order', 'OrderReference/SalesOrderID'],
  ['buyer_reference', 'BuyerReference'],
  ['project', 'ProjectReference/ID'],
  ['contract', 'ContractDocumentReference/ID'],
  ['receipt', 'ReceiptDocumentReference/ID'],
  ['despatch', 'DespatchDocumentReference/ID'],
  ['preceding_invoice', 'BillingReference/InvoiceDocumentReference/ID'],
  ['preceding_invoice', 'BillingReference/CreditNoteDocumentReference/ID'],
];
const lineReferencePaths: ReferencePaths = [
  ['order', 'OrderLineReference/OrderReference/ID'],
  ['sales_order', 'OrderLineReference/OrderReference/SalesOrderID'],
  ['receipt', 'ReceiptLineReference/DocumentReference/ID'],
  ['despatch', 'DespatchLineReference/DocumentReference/ID'],
  ['preceding_invoice', 'BillingReference/InvoiceDocumentReference/ID'],
];
/** Type (UNTDID 1001) of an additional document that names the project, for which credit notes have no element. */
const projectCode = '50';

/** Reads the fields of a UBL 2.1 Invoice or CreditNote. */
export function readUbl(root: XmlElement): DocumentFields {
  const lines = limitLines([...all(root, 'InvoiceLine'), ...all(root, 'CreditNoteLine')]);
  const number = textAt(root, 'ID');
  const buyer = first(root, 'AccountingCustomerParty/Party');
  return {
    typeCode: textAt(root, 'InvoiceTypeCode', 'CreditNoteTypeCode'),
    businessProcess: textAt(root, 'ProfileID'),
    isCreditNote: root.name === 'CreditNote',
    number,
    issueDate: textAt(root, 'IssueDate'),
    dueDate: textAt(root, 'DueDate', 'PaymentMeans/PaymentDueDate'),
    currency: textAt(root, 'DocumentCurrencyCode'),
    supplier: readParty(first(root, 'AccountingSupplierParty/Party')),
    buyer: buyer === undefined ? null : readParty(buyer),
    accounts: texts(root, 'PaymentMeans/PayeeFinancialAccount/ID'),
    totals: {
      ht: amountsAt(root, 'LegalMonetaryTotal/TaxExclusiveAmount'),
      tva: amountsAt(root, 'TaxTotal/TaxAmount'),
      ttc: amountsAt(root, 'LegalMonetaryTotal/TaxInclusiveAmount'),
    },
    vatBreakdown: all(root, 'TaxTotal/TaxSubtotal').map((group) => ({
      percent: textAt(group, 'TaxCategory/Percent', 'Percent'),
      base: amountsAt(group, 'TaxableAmount'),
      amount: amountsAt(group, 'TaxAmount'),
    })),
    lines: lines.map((line) => readLine(line, number)),
    references: referencesOf(root, lines, number),
    notes: notesOf(root),
    places: [root, ...lines].flatMap((from) => all(from, 'Delivery')).flatMap(readPlaces),
  };
}

function readParty(party: XmlElement | undefined): PartyFields {
  return {
    name: textAt(party, 'PartyLegalEntity/RegistrationName', 'PartyName/Name'),
    country: textAt(party, 'PostalAddress/Country/IdentificationCode'),
    identifiers: identifiersAt(party, ['PartyLegalEntity/CompanyID', 'PartyIdentification/ID', 'EndpointID']),
    electronicAddress: identifiersAt(party, ['EndpointID'])[0] ?? null,
    vatNumbers: all(party, 'PartyTaxScheme')
      .filter((scheme) => /^(VAT|TVA)$/i.test(textAt(scheme, 'TaxScheme/ID') ?? 'VAT'))
      .flatMap((scheme) => texts(scheme, 'CompanyID')),
  };
}

function readLine(line: XmlElement, invoice: string | null): LineFields {
  const description = texts(line, 'Item/Description');
  const name = textAt(line, 'Item/Name');
  return {
    subtype: subtypeOf(line, invoice),
    label: name ?? description[0] ?? null,
    qty: textAt(line, 'InvoicedQuantity', 'CreditedQuantity'),
    price: textAt(line, 'Price/PriceAmount'),
    priceFor: textAt(line, 'Price/BaseQuantity'),
    ht: textAt(line, 'LineExtensionAmount'),
    percent: textAt(line, 'Item/ClassifiedTaxCategory/Percent'),
    notes: [
      ...texts(line, 'Note').flatMap(spokenTexts),
      ...(name === null ? description.slice(1) : description),
      ...all(line, 'Item/AdditionalItemProperty').map((property) => joined(property, ['Name', 'Value'])),
      ...texts(line, 'AccountingCost'),
      ...texts(line, 'DocumentReference/ID'),
    ],
  };
}

/** UBL has no element for the line type: in the extended profile of the French reform a line refers to its own invoice, with a status. */
function subtypeOf(line: XmlElement, invoice: string | null): string | null {
  const documents = all(line, 'BillingReference/InvoiceDocumentReference');
  return textAt(
    documents.find((document) => textAt(document, 'ID') === invoice),
    'DocumentStatusCode',
  );
}

/** BT-22, BT-19, BT-20, BT-17, BT-18 and the names of attachments: fields that people write references into. */
function notesOf(root: XmlElement): string[] {
  const documents = all(root, 'AdditionalDocumentReference').filter((document) => !isProject(document));
  return [
    ...texts(root, 'Note').flatMap(spokenTexts),
    ...texts(root, 'AccountingCost'),
    ...texts(root, 'PaymentTerms/Note'),
    ...texts(root, 'OriginatorDocumentReference/ID'),
    ...documents.map((document) => joined(document, ['ID', 'DocumentDescription'])),
  ];
}

function readPlaces(delivery: XmlElement): (string | null)[][] {
  const address = first(delivery, 'DeliveryLocation/Address');
  return [
    [textAt(delivery, 'DeliveryParty/PartyName/Name')],
    [textAt(delivery, 'DeliveryLocation/ID')],
    ['StreetName', 'AdditionalStreetName', 'AddressLine/Line', 'PostalZone', 'CityName', 'CountrySubentity'].map(
      (path) => textAt(address, path),
    ),
  ];
}

function referencesOf(root: XmlElement, lines: XmlElement[], number: string | null): DocumentFields['references'] {
  const ofLines = lines.flatMap((line) => referencesAt(line, lineReferencePaths));
  return [
    ...referencesAt(root, referencePaths),
    ...projectsOf(root),
    // A line that refers to its own invoice gives the line type, not a preceding invoice.
    ...ofLines.filter(({ kind, value }) => kind !== 'preceding_invoice' || value !== number),
  ];
}

function projectsOf(root: XmlElement): DocumentFields['references'] {
  const documents = all(root, 'AdditionalDocumentReference').filter(isProject);
  return documents.flatMap((document) => texts(document, 'ID')).map((value) => ({ kind: 'project', value }));
}

function isProject(document: XmlElement): boolean {
  return textAt(document, 'DocumentTypeCode') === projectCode;
}
