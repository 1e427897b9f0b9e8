import { euros, type Invoice, type Party, type Seller } from './invoice.ts';
import { element as tag, text } from './xml.ts';

const oasis = 'urn:oasis:names:specification:ubl:schema:xsd';
const vatCategory =
  '<cbc:ID>S</cbc:ID><cbc:Percent>20</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>';

/** The invoice in UBL 2.1; a credit note is a document of its own there. */
export function writeUbl(invoice: Invoice): string {
  const root = invoice.kind === 'invoice' ? 'Invoice' : 'CreditNote';
  const spaces = ` xmlns="${oasis}:${root}-2" xmlns:cac="${oasis}:CommonAggregateComponents-2" xmlns:cbc="${oasis}:CommonBasicComponents-2"`;
  const parts = [
    header(invoice, root),
    tag('cac:AccountingSupplierParty', party(invoice.seller)),
    tag('cac:AccountingCustomerParty', party(invoice.buyer)),
    delivery(invoice),
    payment(invoice.seller),
    totals(invoice),
    ...invoice.lines.map((one, index) => line(invoice, one, index)),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag(root, parts.join('\n'), spaces)}`;
}

function header(invoice: Invoice, root: string): string {
  const { number, issueDate, dueDate, note, currency, order, salesOrder, preceding } = invoice;
  const isInvoice = root === 'Invoice';
  const orders = tag('cbc:ID', text(order ?? (salesOrder && 'NA'))) + tag('cbc:SalesOrderID', text(salesOrder));
  return [
    tag('cbc:CustomizationID', 'urn:cen.eu:en16931:2017'),
    tag('cbc:ID', text(number)),
    tag('cbc:IssueDate', issueDate),
    isInvoice ? tag('cbc:DueDate', dueDate) : '',
    tag(`cbc:${root}TypeCode`, isInvoice ? '380' : '381'),
    tag('cbc:Note', text(note)),
    tag('cbc:DocumentCurrencyCode', currency),
    tag('cac:OrderReference', orders),
    tag('cac:BillingReference', tag('cac:InvoiceDocumentReference', tag('cbc:ID', text(preceding)))),
  ].join('');
}

function party({ name, siren, siret, vatNumber, address }: Party): string {
  const scheme = '<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>';
  const legal = tag('cbc:RegistrationName', text(name)) + tag('cbc:CompanyID', siren, ' schemeID="0002"');
  return tag(
    'cac:Party',
    [
      tag('cbc:EndpointID', siren, ' schemeID="0225"'),
      tag('cac:PartyIdentification', tag('cbc:ID', siret, ' schemeID="0009"')),
      tag('cac:PostalAddress', addressOf(address)),
      vatNumber === null ? '' : tag('cac:PartyTaxScheme', tag('cbc:CompanyID', vatNumber) + scheme),
      tag('cac:PartyLegalEntity', legal),
    ].join(''),
  );
}

function addressOf({ street, postcode, city }: Seller['address']): string {
  return [
    tag('cbc:StreetName', text(street)),
    tag('cbc:CityName', text(city)),
    tag('cbc:PostalZone', postcode),
    '<cac:Country><cbc:IdentificationCode>FR</cbc:IdentificationCode></cac:Country>',
  ].join('');
}

function delivery({ site }: Invoice): string {
  const place = tag('cac:DeliveryLocation', tag('cac:Address', addressOf(site)));
  const to = tag('cac:DeliveryParty', tag('cac:PartyName', tag('cbc:Name', text(site.name))));
  return tag('cac:Delivery', place + to);
}

function payment({ iban }: Seller): string {
  const account = tag('cac:PayeeFinancialAccount', tag('cbc:ID', iban));
  return tag('cac:PaymentMeans', `<cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>${account}`);
}

function totals(invoice: Invoice): string {
  const amount = (name: string, cents: number) => money(invoice, name, cents);
  const { net, vat, total } = invoice;
  const subtotal = amount('TaxableAmount', net) + amount('TaxAmount', vat) + tag('cac:TaxCategory', vatCategory);
  const sums = [
    amount('LineExtensionAmount', net),
    amount('TaxExclusiveAmount', net),
    amount('TaxInclusiveAmount', total),
    amount('PayableAmount', total),
  ];
  return [
    tag('cac:TaxTotal', amount('TaxAmount', vat) + tag('cac:TaxSubtotal', subtotal)),
    tag('cac:LegalMonetaryTotal', sums.join('')),
  ].join('\n');
}

function line(invoice: Invoice, { label, cents }: Invoice['lines'][number], index: number): string {
  const isInvoice = invoice.kind === 'invoice';
  const item = tag('cbc:Name', text(label)) + tag('cac:ClassifiedTaxCategory', vatCategory);
  return tag(
    isInvoice ? 'cac:InvoiceLine' : 'cac:CreditNoteLine',
    [
      tag('cbc:ID', String(index + 1)),
      tag(isInvoice ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity', '1', ' unitCode="C62"'),
      money(invoice, 'LineExtensionAmount', cents),
      tag('cac:Item', item),
      tag('cac:Price', money(invoice, 'PriceAmount', cents)),
    ].join(''),
  );
}

function money({ currency }: Invoice, name: string, cents: number): string {
  return tag(`cbc:${name}`, euros(cents), ` currencyID="${currency}"`);
}
