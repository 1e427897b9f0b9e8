import type { DocumentFields, LineFields, PartyFields } from '../document-fields.ts';
import { unmappable } from '../errors.ts';
import { isLegalNote } from './notes.ts';
import { amountsAt, identifiersAt, joined, limitLines, type ReferencePaths, referencesAt } from './paths.ts';
import { all, first, textAt, texts, type XmlElement } from './xml-tree.ts';

const agreement = 'ApplicableHeaderTradeAgreement';
const delivery = 'ApplicableHeaderTradeDelivery';
const settlement = 'ApplicableHeaderTradeSettlement';

/** Paths of the references of EN 16931 in CII: of the document here, of its lines below. */
const referencePaths: ReferencePaths = [
  ['order', `${agreement}/BuyerOrderReferencedDocument/IssuerAssignedID`],
  ['sales_order', `${agreement}/SellerOrderReferencedDocument/IssuerAssignedID`],
  ['buyer_reference', `${agreement}/BuyerReference`],
  ['project', `${agreement}/SpecifiedProcuringProject/ID`],
  ['contract', `${agreement}/ContractReferencedDocument/IssuerAssignedID`],
  ['receipt', `${delivery}/ReceivingAdviceReferencedDocument/IssuerAssignedID`],
  // A widely used generator writes it here, against the schema.
  ['receipt', 'ReceivingAdviceReferencedDocument/IssuerAssignedID'],
  ['despatch', `${delivery}/DespatchAdviceReferencedDocument/IssuerAssignedID`],
  ['despatch', `${delivery}/DeliveryNoteReferencedDocument/IssuerAssignedID`],
  ['preceding_invoice', `${settlement}/InvoiceReferencedDocument/IssuerAssignedID`],
];
const lineReferencePaths: ReferencePaths = [
  ['order', 'SpecifiedLineTradeAgreement/BuyerOrderReferencedDocument/IssuerAssignedID'],
  ['sales_order', 'SpecifiedLineTradeAgreement/SellerOrderReferencedDocument/IssuerAssignedID'],
  ['receipt', 'SpecifiedLineTradeDelivery/ReceivingAdviceReferencedDocument/IssuerAssignedID'],
  ['despatch', 'SpecifiedLineTradeDelivery/DespatchAdviceReferencedDocument/IssuerAssignedID'],
  ['despatch', 'SpecifiedLineTradeDelivery/DeliveryNoteReferencedDocument/IssuerAssignedID'],
  ['preceding_invoice', 'SpecifiedLineTradeSettlement/InvoiceReferencedDocument/IssuerAssignedID'],
];
const dueDatePath = 'DueDateDateTime/DateTimeString';
/** Date formats (UNTDID 2379) that begin with YYYYMMDD. */
const dayFormats = ['102', '203', '204'];

/** Reads the fields of a CrossIndustryInvoice (CII D16B). */
export function readCii(root: XmlElement): DocumentFields {
  const document = first(root, 'ExchangedDocument');
  const transaction = first(root, 'SupplyChainTradeTransaction');
  const settled = first(transaction, settlement);
  const totals = first(settled, 'SpecifiedTradeSettlementHeaderMonetarySummation');
  const lines = limitLines(all(transaction, 'IncludedSupplyChainTradeLineItem'));
  const buyer = first(transaction, `${agreement}/BuyerTradeParty`);
  return {
    typeCode: textAt(document, 'TypeCode'),
    businessProcess: textAt(root, 'ExchangedDocumentContext/BusinessProcessSpecifiedDocumentContextParameter/ID'),
    isCreditNote: false,
    number: textAt(document, 'ID'),
    issueDate: issueDateOf(document),
    dueDate: dueDateOf(all(settled, 'SpecifiedTradePaymentTerms')),
    currency: textAt(settled, 'InvoiceCurrencyCode'),
    supplier: readParty(first(transaction, `${agreement}/SellerTradeParty`)),
    buyer: buyer === undefined ? null : readParty(buyer),
    accounts: ['IBANID', 'ProprietaryID'].flatMap((id) =>
      texts(settled, `SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/${id}`),
    ),
    totals: {
      ht: amountsAt(totals, 'TaxBasisTotalAmount'),
      tva: amountsAt(totals, 'TaxTotalAmount'),
      ttc: amountsAt(totals, 'GrandTotalAmount'),
    },
    vatBreakdown: all(settled, 'ApplicableTradeTax').map((group) => ({
      percent: textAt(group, 'RateApplicablePercent'),
      base: amountsAt(group, 'BasisAmount'),
      amount: amountsAt(group, 'CalculatedAmount'),
    })),
    lines: lines.map(readLine),
    references: [
      ...referencesAt(transaction, referencePaths),
      ...lines.flatMap((line) => referencesAt(line, lineReferencePaths)),
    ],
    notes: [...spokenNotesOf(document), ...notesOf(first(transaction, agreement), settled)],
    places: [
      ...all(transaction, `${delivery}/ShipToTradeParty`),
      ...lines.flatMap((line) => all(line, 'SpecifiedLineTradeDelivery/ShipToTradeParty')),
    ].flatMap(readPlaces),
  };
}

function readParty(party: XmlElement | undefined): PartyFields {
  return {
    name: textAt(party, 'Name', 'SpecifiedLegalOrganization/TradingBusinessName'),
    country: textAt(party, 'PostalTradeAddress/CountryID'),
    identifiers: identifiersAt(party, [
      'SpecifiedLegalOrganization/ID',
      'GlobalID',
      'ID',
      'URIUniversalCommunication/URIID',
    ]),
    electronicAddress: identifiersAt(party, ['URIUniversalCommunication/URIID'])[0] ?? null,
    // Scheme FC is a tax number, not a VAT number.
    vatNumbers: all(party, 'SpecifiedTaxRegistration/ID')
      .filter(({ attributes }) => (attributes.get('schemeID') ?? 'VA') === 'VA')
      .map(({ text }) => text),
  };
}

function readLine(line: XmlElement): LineFields {
  const product = first(line, 'SpecifiedTradeProduct');
  const price = first(line, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice');
  const settled = first(line, 'SpecifiedLineTradeSettlement');
  const name = textAt(product, 'Name');
  const description = texts(product, 'Description');
  return {
    subtype: textAt(line, 'AssociatedDocumentLineDocument/LineStatusReasonCode'),
    label: name ?? description[0] ?? null,
    qty: textAt(line, 'SpecifiedLineTradeDelivery/BilledQuantity'),
    price: textAt(price, 'ChargeAmount'),
    priceFor: textAt(price, 'BasisQuantity'),
    ht: textAt(settled, 'SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount'),
    percent: textAt(settled, 'ApplicableTradeTax/RateApplicablePercent'),
    notes: [
      ...spokenNotesOf(first(line, 'AssociatedDocumentLineDocument')),
      ...(name === null ? description.slice(1) : description),
      ...all(product, 'ApplicableProductCharacteristic').map((property) => joined(property, ['Description', 'Value'])),
      ...texts(settled, 'ReceivableSpecifiedTradeAccountingAccount/ID'),
      ...texts(settled, 'AdditionalReferencedDocument/IssuerAssignedID'),
    ],
  };
}

function spokenNotesOf(document: XmlElement | undefined): string[] {
  const spoken = all(document, 'IncludedNote').filter((note) => !isLegalNote(textAt(note, 'SubjectCode')));
  return spoken.flatMap((note) => texts(note, 'Content'));
}

/** BT-19, BT-20, BT-17, BT-18 and the names of attachments: fields that people write references into. */
function notesOf(agreed: XmlElement | undefined, settled: XmlElement | undefined): string[] {
  return [
    ...texts(settled, 'ReceivableSpecifiedTradeAccountingAccount/ID'),
    ...texts(settled, 'SpecifiedTradePaymentTerms/Description'),
    ...all(agreed, 'AdditionalReferencedDocument').map((document) => joined(document, ['IssuerAssignedID', 'Name'])),
  ];
}

function readPlaces(party: XmlElement): (string | null)[][] {
  const address = first(party, 'PostalTradeAddress');
  return [
    [textAt(party, 'Name')],
    [textAt(party, 'GlobalID', 'ID')],
    ['LineOne', 'LineTwo', 'LineThree', 'PostcodeCode', 'CityName', 'CountrySubDivisionName'].map((path) =>
      textAt(address, path),
    ),
  ];
}

/** The due date of the terms without a discount: the others give the last day of the discount. */
function dueDateOf(terms: XmlElement[]): string | null {
  const hasDiscount = (one: XmlElement) => first(one, 'ApplicableTradePaymentDiscountTerms') !== undefined;
  const dated = terms.filter((one) => texts(one, dueDatePath).length > 0);
  return textAt(dated.find((one) => !hasDiscount(one)) ?? dated[0], dueDatePath);
}

function issueDateOf(document: XmlElement | undefined): string | null {
  const date = all(document, 'IssueDateTime/DateTimeString').find(({ text }) => text !== '');
  const format = date?.attributes.get('format') ?? '102';
  if (!dayFormats.includes(format)) {
    throw unmappable(`the issue date (BT-2) is in format ${format.slice(0, 40)}; 102 is read`);
  }
  return date?.text ?? null;
}
