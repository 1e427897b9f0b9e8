/** The known invoice (fake-provider.ts) as UBL 2.1, with another number if given. */
export function ublInvoice({ number }: { number: string }): Buffer {
  const money = (name: string, amount: string) => `<cbc:${name} currencyID="EUR">${amount}</cbc:${name}>`;
  const vat = '<cbc:Percent>20.00</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>';
  const line = (id: number, label: string, quantity: string, price: string, amount: string) => `
  <cac:InvoiceLine><cbc:ID>${id}</cbc:ID><cbc:InvoicedQuantity unitCode="C62">${quantity}</cbc:InvoicedQuantity>
    ${money('LineExtensionAmount', amount)}
    <cac:Item><cbc:Name>${label}</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID>${vat}</cac:ClassifiedTaxCategory></cac:Item>
    <cac:Price>${money('PriceAmount', price)}</cac:Price></cac:InvoiceLine>`;
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
  <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-11-16</cbc:IssueDate><cbc:DueDate>2026-12-16</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:OrderReference><cbc:ID>PO-2026-001</cbc:ID></cac:OrderReference>
  <cac:AccountingSupplierParty><cac:Party>
    <cbc:EndpointID schemeID="0225">732829320_STATUTS</cbc:EndpointID>
    <cac:PartyIdentification><cbc:ID schemeID="0009">73282932000074</cbc:ID></cac:PartyIdentification>
    <cac:PartyTaxScheme><cbc:CompanyID>FR44732829320</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Chauffage Durand SARL</cbc:RegistrationName>
      <cbc:CompanyID schemeID="0002">732829320</cbc:CompanyID></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party><cac:PartyLegalEntity>
    <cbc:RegistrationName>Bureaux &amp; Co &lt;Lyon&gt;</cbc:RegistrationName><cbc:CompanyID schemeID="0002">356000000</cbc:CompanyID>
  </cac:PartyLegalEntity></cac:Party></cac:AccountingCustomerParty>
  <cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>
    <cac:PayeeFinancialAccount><cbc:ID>FR7630006000011234567890189</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:TaxTotal>${money('TaxAmount', '104.20')}<cac:TaxSubtotal>${money('TaxableAmount', '521.00')}${money('TaxAmount', '104.20')}
    <cac:TaxCategory><cbc:ID>S</cbc:ID>${vat}</cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
  <cac:LegalMonetaryTotal>${money('LineExtensionAmount', '521.00')}${money('TaxExclusiveAmount', '521.00')}${money('TaxInclusiveAmount', '625.20')}${money('PayableAmount', '625.20')}</cac:LegalMonetaryTotal>
  ${line(1, 'Boiler repair', '1', '450.00', '450.00')}${line(2, 'Burner nozzle', '2', '35.50', '71.00')}
</Invoice>
`);
}
