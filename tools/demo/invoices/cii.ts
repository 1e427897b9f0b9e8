import { euros, type Invoice, type Party, type Seller } from './invoice.ts';
import { element as tag, text } from './xml.ts';

const un = 'urn:un:unece:uncefact:data:standard';

/** The invoice in CII, profile EN 16931: on its own, or inside a Factur-X PDF. */
export function writeCii(invoice: Invoice): string {
  const spaces = ` xmlns:rsm="${un}:CrossIndustryInvoice:100" xmlns:ram="${un}:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="${un}:UnqualifiedDataType:100"`;
  const context = tag('ram:GuidelineSpecifiedDocumentContextParameter', tag('ram:ID', 'urn:cen.eu:en16931:2017'));
  const trade = [...invoice.lines.map(line), agreement(invoice), delivery(invoice), settlement(invoice)].join('\n');
  const parts = [
    tag('rsm:ExchangedDocumentContext', context),
    tag('rsm:ExchangedDocument', header(invoice)),
    tag('rsm:SupplyChainTradeTransaction', trade),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag('rsm:CrossIndustryInvoice', parts.join('\n'), spaces)}`;
}

function header({ number, kind, issueDate, note }: Invoice): string {
  return [
    tag('ram:ID', text(number)),
    tag('ram:TypeCode', kind === 'invoice' ? '380' : '381'),
    tag('ram:IssueDateTime', date(issueDate)),
    tag('ram:IncludedNote', tag('ram:Content', text(note))),
  ].join('');
}

function line({ label, cents }: Invoice['lines'][number], index: number): string {
  return tag(
    'ram:IncludedSupplyChainTradeLineItem',
    [
      tag('ram:AssociatedDocumentLineDocument', tag('ram:LineID', String(index + 1))),
      tag('ram:SpecifiedTradeProduct', tag('ram:Name', text(label))),
      tag(
        'ram:SpecifiedLineTradeAgreement',
        tag('ram:NetPriceProductTradePrice', tag('ram:ChargeAmount', euros(cents))),
      ),
      tag('ram:SpecifiedLineTradeDelivery', tag('ram:BilledQuantity', '1', ' unitCode="C62"')),
      tag(
        'ram:SpecifiedLineTradeSettlement',
        tag(
          'ram:ApplicableTradeTax',
          '<ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>20</ram:RateApplicablePercent>',
        ) + tag('ram:SpecifiedTradeSettlementLineMonetarySummation', tag('ram:LineTotalAmount', euros(cents))),
      ),
    ].join(''),
  );
}

function agreement({ seller, buyer, order, salesOrder }: Invoice): string {
  const reference = (name: string, id: string | null) => tag(name, tag('ram:IssuerAssignedID', text(id)));
  return tag(
    'ram:ApplicableHeaderTradeAgreement',
    [
      tag('ram:SellerTradeParty', party(seller)),
      tag('ram:BuyerTradeParty', party(buyer)),
      reference('ram:SellerOrderReferencedDocument', salesOrder),
      reference('ram:BuyerOrderReferencedDocument', order),
    ].join(''),
  );
}

function party({ name, siren, siret, vatNumber, address }: Party): string {
  return [
    tag('ram:GlobalID', siret, ' schemeID="0009"'),
    tag('ram:Name', text(name)),
    tag('ram:SpecifiedLegalOrganization', tag('ram:ID', siren, ' schemeID="0002"')),
    tag('ram:PostalTradeAddress', addressOf(address)),
    tag('ram:URIUniversalCommunication', tag('ram:URIID', siren, ' schemeID="0225"')),
    tag('ram:SpecifiedTaxRegistration', tag('ram:ID', vatNumber, ' schemeID="VA"')),
  ].join('');
}

function addressOf({ street, postcode, city }: Seller['address']): string {
  return [
    tag('ram:PostcodeCode', postcode),
    tag('ram:LineOne', text(street)),
    tag('ram:CityName', text(city)),
    tag('ram:CountryID', 'FR'),
  ].join('');
}

function delivery({ site }: Invoice): string {
  const place = tag('ram:Name', text(site.name)) + tag('ram:PostalTradeAddress', addressOf(site));
  return tag('ram:ApplicableHeaderTradeDelivery', tag('ram:ShipToTradeParty', place));
}

function settlement({ currency, seller, net, vat, total, dueDate, preceding }: Invoice): string {
  const account = tag('ram:PayeePartyCreditorFinancialAccount', tag('ram:IBANID', seller.iban));
  return tag(
    'ram:ApplicableHeaderTradeSettlement',
    [
      tag('ram:InvoiceCurrencyCode', currency),
      tag('ram:SpecifiedTradeSettlementPaymentMeans', `<ram:TypeCode>30</ram:TypeCode>${account}`),
      tag(
        'ram:ApplicableTradeTax',
        `${tag('ram:CalculatedAmount', euros(vat))}<ram:TypeCode>VAT</ram:TypeCode>${tag('ram:BasisAmount', euros(net))}<ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>20</ram:RateApplicablePercent>`,
      ),
      tag('ram:SpecifiedTradePaymentTerms', tag('ram:DueDateDateTime', date(dueDate))),
      tag(
        'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
        [
          tag('ram:LineTotalAmount', euros(net)),
          tag('ram:TaxBasisTotalAmount', euros(net)),
          tag('ram:TaxTotalAmount', euros(vat), ` currencyID="${currency}"`),
          tag('ram:GrandTotalAmount', euros(total)),
          tag('ram:DuePayableAmount', euros(total)),
        ].join(''),
      ),
      tag('ram:InvoiceReferencedDocument', tag('ram:IssuerAssignedID', text(preceding))),
    ].join(''),
  );
}

function date(day: string | null): string {
  return tag('udt:DateTimeString', day?.replaceAll('-', ''), ' format="102"');
}
