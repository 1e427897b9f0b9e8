import { readEInvoice } from '../index.ts';
import { basic, full, type Sample } from './sample.ts';
import { writeCii } from './write-cii.ts';
import { writePdf } from './write-pdf.ts';
import { writeUbl } from './write-ubl.ts';

const readXml = (xml: string) => readEInvoice(Buffer.from(xml));
const read = (write: (sample: Sample) => string, change: Partial<Sample>) => readXml(write({ ...basic, ...change }));

const notes = [
  { code: 'PMT', text: 'Indemnité forfaitaire de 40 €, ticket 9999' },
  { code: 'PMD', text: 'Pénalités de retard' },
  { code: 'AAB', text: 'Escompte néant' },
  { code: 'REG', text: 'SARL au capital de 50 000 EUR' },
  { code: 'ABL', text: 'RCS Lyon 123 456 782' },
  { code: 'BAR', text: 'B2B' },
  { code: 'TXD', text: 'MEMBRE_ASSUJETTI_UNIQUE' },
  { code: 'AAI', text: 'Suite au ticket 4711' },
];

describe.each([
  ['UBL', writeUbl],
  ['CII', writeCii],
])('%s', (_syntax, write) => {
  test('notes that the law wants are no notes about the work', () => {
    const { notes: kept, matchHints } = read(write, { notes });
    expect([kept, matchHints.ticketRef]).toEqual([['Suite au ticket 4711'], '4711']);
  });

  test.each([
    ['S2', [expect.stringContaining('paid already')], undefined],
    ['B8', [expect.stringContaining('several suppliers')], true],
    ['M9', [expect.stringContaining('bills both ways')], true],
    ['B1', [], undefined],
    ['urn:fdc:peppol.eu:2017:poacc:billing:01:1.0', [], undefined],
  ])('the kind of billing %s is told to people', (process, warnings, isShared) => {
    const invoice = read(write, { process });
    expect([invoice.warnings, invoice.isShared]).toEqual([warnings, isShared]);
  });

  test('sub-lines count once, at any depth: the lines are as much as their sum', () => {
    const lines = [
      { subtype: 'GROUP', name: 'Lot 1', ht: '500.00' },
      { subtype: 'GROUP', parent: '1', name: 'Lot 1.1', ht: '200.00', percent: '20' },
      { subtype: 'DETAIL', parent: '2', name: 'Pose', ht: '120.00' },
      { subtype: 'DETAIL', parent: '2', name: 'Joints', qty: '-2', price: '-40.00', ht: '80.00' },
      { subtype: 'DETAIL', parent: '1', name: 'Chaudière', ht: '300.00' },
      { subtype: 'INFORMATION', parent: '1', name: 'Valeur à neuf', ht: '999.00' },
      { name: 'Remise', qty: '1', price: '-50.00', ht: '-50.00' },
      { subtype: 'GROUP', name: 'Sans montant' },
    ];
    for (const typeCode of ['380', '381']) {
      const counted = read(write, { typeCode, lines }).lines;
      expect(counted.map(({ label, ht }) => [label, ht])).toEqual([
        ['Pose', 120],
        ['Joints', 80],
        ['Chaudière', 300],
        ['Remise', -50],
      ]);
      expect(counted.map(({ unitPrice }) => unitPrice)).toEqual([null, -40, null, -50]);
    }
  });

  test('VAT groups of one rate that differ in the reason of their exemption stay apart', () => {
    const exempt = { category: 'E', percent: '0', amount: '0.00' };
    const { vatBreakdown } = read(write, {
      vat: [
        { ...exempt, base: '60.00' },
        { ...exempt, base: '40.00' },
      ],
    });
    expect(vatBreakdown).toEqual([
      { rate: 0, base: 60, amount: 0 },
      { rate: 0, base: 40, amount: 0 },
    ]);
  });

  test('the profile that a document names decides nothing', () => {
    const xml = write(full);
    for (const profile of [
      'urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr',
      'urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended',
      'urn:example:of-next-year',
    ]) {
      const named = xml.replace('urn:cen.eu:en16931:2017', profile);
      expect([named === xml, readXml(named)]).toEqual([false, readXml(xml)]);
    }
  });
});

test('Factur-X without lines (BASIC WL) has all but them', () => {
  const sample = { ...full, lines: [] };
  const xml = writeCii(sample).replace('urn:cen.eu:en16931:2017', 'urn:factur-x.eu:1p0:basicwl');
  expect(readEInvoice(writePdf(xml))).toEqual({ ...read(writeUbl, sample), lines: [] });
});

test('UBL writes several notes in one', () => {
  const text = `avant #PMT#40 €#AAI#Suite au ticket 4711 #PMD#pénalités #ABC#fin#REG#SARL##sans code`;
  const expected = ['avant', 'Suite au ticket 4711', 'fin', 'sans code'];
  expect(read(writeUbl, { notes: [{ text }] }).notes).toEqual(expected);
  const lines = [{ name: 'Pose', ht: '0.10', note: '#AAI#2e étage#BAR#B2B' }];
  expect(read(writeUbl, { lines }).notes).toEqual(['2e étage']);
});

/** What V1.4 of XP Z12-012 allows, and nobody here reads: after which element it stands, and what is there. */
type Addition = [what: string, after: string, content: string];

const day = (name: string) =>
  `<ram:${name}><qdt:DateTimeString xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100" format="102">20251231</qdt:DateTimeString></ram:${name}>`;
const other = '<ram:ID>OTHER-1</ram:ID><ram:Name>Tiers</ram:Name>';

const inCii: Addition[] = [
  ['the date of the order (EXT-FR-FE-197)', 'BC-2026-4411</ram:IssuerAssignedID>', day('FormattedIssueDateTime')],
  ['the date of the despatch (198)', 'BL-31</ram:IssuerAssignedID>', day('FormattedIssueDateTime')],
  ['the date of the contract (199)', 'CT-55</ram:IssuerAssignedID>', day('FormattedIssueDateTime')],
  [
    'the kind of the contract (01)',
    'CT-55</ram:IssuerAssignedID>',
    '<ram:ReferenceTypeCode>CT</ram:ReferenceTypeCode>',
  ],
  ['the line of the despatch (141)', 'BL-31</ram:IssuerAssignedID>', '<ram:LineID>4</ram:LineID>'],
  ['agents', '</ram:BuyerTradeParty>', `<ram:SalesAgentTradeParty>${other}</ram:SalesAgentTradeParty>`],
  ['the agent of the buyer', '</ram:BuyerTradeParty>', `<ram:BuyerAgentTradeParty>${other}</ram:BuyerAgentTradeParty>`],
  ['the invoicer', '</ram:InvoiceCurrencyCode>', `<ram:InvoicerTradeParty>${other}</ram:InvoicerTradeParty>`],
  ['the invoicee', '</ram:InvoiceCurrencyCode>', `<ram:InvoiceeTradeParty>${other}</ram:InvoiceeTradeParty>`],
  ['the payer', '</ram:InvoiceCurrencyCode>', `<ram:PayerTradeParty>${other}</ram:PayerTradeParty>`],
  [
    'several ids of the payee (BT-60)',
    '</ram:InvoiceCurrencyCode>',
    `<ram:PayeeTradeParty><ram:ID>1</ram:ID>${other}</ram:PayeeTradeParty>`,
  ],
  [
    'the rate of exchange (BT-167)',
    '</ram:InvoiceCurrencyCode>',
    `<ram:TaxApplicableTradeCurrencyExchange><ram:ConversionRate>1.08</ram:ConversionRate>${day('ConversionRateDateTime')}</ram:TaxApplicableTradeCurrencyExchange>`,
  ],
  [
    'Incoterms',
    '<ram:ApplicableHeaderTradeDelivery>',
    '<ram:ApplicableTradeDeliveryTerms><ram:DeliveryTypeCode>DAP</ram:DeliveryTypeCode><ram:RelevantTradeLocation><ram:Name>Brest</ram:Name></ram:RelevantTradeLocation></ram:ApplicableTradeDeliveryTerms>',
  ],
  [
    'the reason of an exemption',
    '<ram:TypeCode>VAT</ram:TypeCode>',
    '<ram:ExemptionReason>AUTRE</ram:ExemptionReason>',
  ],
  [
    'discounts of the gross price (BT-147, 195, 196)',
    '<ram:SpecifiedLineTradeAgreement>',
    `<ram:GrossPriceProductTradePrice><ram:ChargeAmount>9.99</ram:ChargeAmount>${'<ram:AppliedTradeAllowanceCharge><ram:ActualAmount>1.00</ram:ActualAmount><ram:ReasonCode>71</ram:ReasonCode></ram:AppliedTradeAllowanceCharge>'.repeat(2)}</ram:GrossPriceProductTradePrice>`,
  ],
  [
    'the line of a preceding invoice alone (138)',
    '<ram:SpecifiedLineTradeSettlement>',
    '<ram:InvoiceReferencedDocument><ram:LineID>2</ram:LineID></ram:InvoiceReferencedDocument>',
  ],
  [
    'the day of a line’s delivery (158)',
    '<ram:SpecifiedLineTradeDelivery>',
    `<ram:ActualDeliverySupplyChainEvent>${day('OccurrenceDateTime')}</ram:ActualDeliverySupplyChainEvent>`,
  ],
  [
    'units in a package (191)',
    '<ram:SpecifiedLineTradeDelivery>',
    '<ram:PerPackageUnitQuantity>6</ram:PerPackageUnitQuantity>',
  ],
  [
    'the code and the measure of an attribute (159, 160)',
    '<ram:ApplicableProductCharacteristic>',
    '<ram:TypeCode>AAA</ram:TypeCode><ram:ValueMeasure unitCode="KGM">3</ram:ValueMeasure>',
  ],
  [
    'the seller of a line (164)',
    '</ram:SpecifiedTradeProduct>',
    `<ram:ItemSellerTradeParty>${other}</ram:ItemSellerTradeParty>`,
  ],
  [
    'VAT of a line (181)',
    '<ram:SpecifiedTradeSettlementLineMonetarySummation>',
    '<ram:TaxTotalAmount currencyID="EUR">7.77</ram:TaxTotalAmount><ram:GrandTotalAmount>77.77</ram:GrandTotalAmount>',
  ],
];

const money = (name: string, amount: string) => `<cbc:${name} currencyID="EUR">${amount}</cbc:${name}>`;
const date = '<cbc:IssueDate>2025-12-31</cbc:IssueDate>';
const agent =
  '<cbc:EndpointID schemeID="0225">111111111</cbc:EndpointID><cac:PartyLegalEntity><cbc:CompanyID schemeID="0002">111111111</cbc:CompanyID></cac:PartyLegalEntity>';

const inUbl: Addition[] = [
  ['the date of the order (EXT-FR-FE-197)', 'BC-2026-4411</cbc:ID>', date],
  ['the date of the despatch (198)', 'BL-31</cbc:ID>', date],
  ['the date and kind of the contract (199, 01)', 'CT-55</cbc:ID>', `${date}<cbc:DocumentType>CT</cbc:DocumentType>`],
  ['an agent', '<cac:AccountingSupplierParty><cac:Party>', `<cac:AgentParty>${agent}</cac:AgentParty>`],
  [
    'an invoicer',
    '<cac:AccountingSupplierParty><cac:Party>',
    `<cac:ServiceProviderParty><cac:Party>${agent}</cac:Party></cac:ServiceProviderParty>`,
  ],
  [
    'several ids of the payee (BT-60)',
    '</cac:AccountingCustomerParty>',
    `<cac:PayeeParty>${'<cac:PartyIdentification><cbc:ID>1</cbc:ID></cac:PartyIdentification>'.repeat(2)}</cac:PayeeParty>`,
  ],
  [
    'the rate of exchange (BT-167)',
    '</cac:AccountingCustomerParty>',
    '<cac:TaxExchangeRate><cbc:CalculationRate>1.08</cbc:CalculationRate><cbc:Date>2025-12-31</cbc:Date></cac:TaxExchangeRate>',
  ],
  [
    'Incoterms',
    '</cac:AccountingCustomerParty>',
    '<cac:DeliveryTerms><cbc:ID>DAP</cbc:ID><cac:DeliveryLocation><cbc:ID>Brest</cbc:ID></cac:DeliveryLocation></cac:DeliveryTerms>',
  ],
  [
    'the reason of an exemption',
    '<cbc:ID>S</cbc:ID>',
    '<cbc:TaxExemptionReasonCode>VATEX-EU-D</cbc:TaxExemptionReasonCode><cbc:TaxExemptionReason>AUTRE</cbc:TaxExemptionReason>',
  ],
  [
    'discounts of the gross price (BT-147, 195, 196)',
    '<cac:Price>',
    `<cac:AllowanceCharge><cbc:AllowanceChargeReasonCode>71</cbc:AllowanceChargeReasonCode>${money('Amount', '1.00')}</cac:AllowanceCharge>`.repeat(
      2,
    ),
  ],
  [
    'the line of a preceding invoice alone (138)',
    '<cac:InvoiceLine>',
    '<cac:BillingReference><cac:BillingReferenceLine><cbc:ID>2</cbc:ID></cac:BillingReferenceLine></cac:BillingReference>',
  ],
  [
    'the day of a line’s delivery (158)',
    '<cac:InvoiceLine>',
    '<cac:Delivery><cbc:ActualDeliveryDate>2025-12-31</cbc:ActualDeliveryDate></cac:Delivery>',
  ],
  ['units in a package (191)', '<cac:Item>', '<cbc:PackQuantity>6</cbc:PackQuantity>'],
  [
    'the code and the measure of an attribute (159, 160)',
    '<cac:AdditionalItemProperty>',
    '<cbc:NameCode>AAA</cbc:NameCode><cbc:ValueQuantity unitCode="KGM">3</cbc:ValueQuantity>',
  ],
  ['the seller of a line (164)', '<cac:Item>', `<cac:ManufacturerParty>${agent}</cac:ManufacturerParty>`],
  ['VAT of a line (181)', '<cac:InvoiceLine>', `<cac:TaxTotal>${money('TaxAmount', '7.77')}</cac:TaxTotal>`],
  [
    'sub-lines of other profiles',
    '<cac:InvoiceLine>',
    `<cac:SubInvoiceLine><cbc:ID>9</cbc:ID>${money('LineExtensionAmount', '7.77')}</cac:SubInvoiceLine>`,
  ],
];

const anywhere = (root: string): Addition[] => [
  ['an element that nobody knows', root, '<x:Odd xmlns:x="urn:x" a="b"><x:Total>9</x:Total></x:Odd>'],
];

describe.each([
  ['CII', writeCii(full), [...inCii, ...anywhere('<rsm:SupplyChainTradeTransaction>')]],
  ['UBL', writeUbl(full), [...inUbl, ...anywhere('</cac:AccountingCustomerParty>')]],
] as const)('%s: what V1.4 adds refuses no invoice, and changes nothing of what is read', (_syntax, xml, additions) => {
  const known = readXml(xml);
  test.each(additions)('%s', (_what, after, content) => {
    const added = xml.replaceAll(after, after + content);
    expect(added.length).toBeGreaterThan(xml.length);
    expect(readXml(added)).toEqual(known);
  });
});

test.each([
  ['CII', writeCii, 'ram:AttachmentBinaryObject', '<ram:Name>Bon'],
  ['UBL', writeUbl, 'cbc:EmbeddedDocumentBinaryObject', '<cbc:DocumentDescription>Bon'],
] as const)('%s: an attached XML file is no part of the invoice', (_syntax, write, name, before) => {
  const xml = write(full);
  const file = `<${name} mimeCode="application/xml" filename="other.xml">${Buffer.from(xml).toString('base64')}</${name}>`;
  const attached = xml.replace(before, file + before);
  expect(attached.length).toBeGreaterThan(xml.length);
  expect(readXml(attached)).toEqual(readXml(xml));
});
