import type { Sample, SampleLine, SampleParty } from './sample.ts';
import { tag } from './write-ubl.ts';

const cii = 'urn:un:unece:uncefact:data:standard';

/** CII D16B. Dates are written in format 102. */
export function writeCii(sample: Sample): string {
  const spaces = `xmlns:rsm="${cii}:CrossIndustryInvoice:100" xmlns:ram="${cii}:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="${cii}:UnqualifiedDataType:100"`;
  const transaction = [
    ...sample.lines.map(writeLine),
    tag('ram:ApplicableHeaderTradeAgreement', agreement(sample)),
    tag('ram:ApplicableHeaderTradeDelivery', delivery(sample)),
    tag('ram:ApplicableHeaderTradeSettlement', settlement(sample)),
  ];
  return `<?xml version='1.0' encoding='UTF-8'?>\n<rsm:CrossIndustryInvoice ${spaces}>\n${[
    tag(
      'rsm:ExchangedDocumentContext',
      (sample.process === undefined
        ? ''
        : tag('ram:BusinessProcessSpecifiedDocumentContextParameter', tag('ram:ID', sample.process))) +
        tag('ram:GuidelineSpecifiedDocumentContextParameter', tag('ram:ID', 'urn:cen.eu:en16931:2017')),
    ),
    tag('rsm:ExchangedDocument', document(sample)),
    tag('rsm:SupplyChainTradeTransaction', transaction.join('\n')),
  ].join('\n')}</rsm:CrossIndustryInvoice>`;
}

function document(sample: Sample): string {
  const notes = (sample.notes ?? []).map(({ code, text }) =>
    tag('ram:IncludedNote', tag('ram:Content', text) + tag('ram:SubjectCode', code)),
  );
  return [
    tag('ram:ID', sample.number),
    tag('ram:TypeCode', sample.typeCode),
    tag('ram:IssueDateTime', date(sample.issueDate)),
    ...notes,
  ].join('');
}

function agreement(sample: Sample): string {
  const additional = (id: string, code: string, name?: string) =>
    tag(
      'ram:AdditionalReferencedDocument',
      tag('ram:IssuerAssignedID', id) + tag('ram:TypeCode', code) + tag('ram:Name', name),
    );
  return [
    tag('ram:BuyerReference', sample.buyerReference),
    tag('ram:SellerTradeParty', party(sample.seller)),
    tag('ram:BuyerTradeParty', party(sample.buyer)),
    sample.representative && tag('ram:SellerTaxRepresentativeTradeParty', party(sample.representative)),
    referenced('SellerOrderReferencedDocument', sample.salesOrder),
    referenced('BuyerOrderReferencedDocument', sample.order),
    referenced('ContractReferencedDocument', sample.contract),
    sample.tender === undefined ? '' : additional(sample.tender, '50'),
    ...(sample.support ?? []).map(({ id, name }) => additional(id, '916', name)),
    sample.project &&
      tag('ram:SpecifiedProcuringProject', tag('ram:ID', sample.project) + tag('ram:Name', 'Project reference')),
  ].join('');
}

function party(from: SampleParty): string {
  const scheme = (id: { scheme?: string }) => (id.scheme === undefined ? '' : `schemeID="${id.scheme}"`);
  return [
    ...(from.ids ?? []).map((id) => tag(id.scheme === undefined ? 'ram:ID' : 'ram:GlobalID', id.value, scheme(id))),
    tag('ram:Name', from.name),
    from.legalId || from.tradingName
      ? tag(
          'ram:SpecifiedLegalOrganization',
          (from.legalId ? tag('ram:ID', from.legalId.value, scheme(from.legalId)) : '') +
            tag('ram:TradingBusinessName', from.tradingName),
        )
      : '',
    from.country && tag('ram:PostalTradeAddress', tag('ram:CountryID', from.country)),
    from.address && tag('ram:URIUniversalCommunication', tag('ram:URIID', from.address.value, scheme(from.address))),
    from.taxNumber && tag('ram:SpecifiedTaxRegistration', tag('ram:ID', from.taxNumber, 'schemeID="FC"')),
    from.vat && tag('ram:SpecifiedTaxRegistration', tag('ram:ID', from.vat, 'schemeID="VA"')),
  ].join('');
}

function delivery({ delivery: to, receipt, despatch }: Pick<Sample, 'delivery' | 'receipt' | 'despatch'>): string {
  const address = [
    tag('ram:PostcodeCode', to?.postcode),
    tag('ram:LineOne', to?.street),
    tag('ram:LineTwo', to?.more),
    tag('ram:CityName', to?.city),
  ].join('');
  return [
    to &&
      tag(
        'ram:ShipToTradeParty',
        tag('ram:ID', to.id) + tag('ram:Name', to.name) + tag('ram:PostalTradeAddress', address),
      ),
    referenced('DespatchAdviceReferencedDocument', despatch),
    referenced('ReceivingAdviceReferencedDocument', receipt),
  ].join('');
}

function settlement(sample: Sample): string {
  const { totals } = sample;
  const due = sample.dueDate && tag('ram:DueDateDateTime', date(sample.dueDate));
  const accounts = (sample.accounts ?? []).map((account) => {
    const id = account.startsWith('FR') ? 'IBANID' : 'ProprietaryID';
    const creditor = tag('ram:PayeePartyCreditorFinancialAccount', tag(`ram:${id}`, account));
    return tag('ram:SpecifiedTradeSettlementPaymentMeans', tag('ram:TypeCode', '30') + creditor);
  });
  return [
    tag('ram:InvoiceCurrencyCode', sample.currency),
    sample.payee && tag('ram:PayeeTradeParty', party(sample.payee)),
    ...accounts,
    ...sample.vat.map(writeVat),
    sample.terms || due
      ? tag('ram:SpecifiedTradePaymentTerms', tag('ram:Description', sample.terms) + (due ?? ''))
      : '',
    tag(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      [
        tag('ram:LineTotalAmount', '999999.99'),
        tag('ram:TaxBasisTotalAmount', totals.ht),
        ...(totals.tva ?? []).map((total) => tag('ram:TaxTotalAmount', total.amount, `currencyID="${total.currency}"`)),
        tag('ram:GrandTotalAmount', totals.ttc),
        tag('ram:TotalPrepaidAmount', totals.prepaid),
        tag('ram:DuePayableAmount', totals.due),
      ].join(''),
    ),
    ...(sample.preceding ?? []).map((id) => referenced('InvoiceReferencedDocument', id)),
    sample.accountingReference &&
      tag('ram:ReceivableSpecifiedTradeAccountingAccount', tag('ram:ID', sample.accountingReference)),
  ].join('\n');
}

function writeVat(group: Sample['vat'][number]): string {
  return tag(
    'ram:ApplicableTradeTax',
    [
      tag('ram:CalculatedAmount', group.amount),
      tag('ram:TypeCode', 'VAT'),
      tag('ram:BasisAmount', group.base),
      tag('ram:CategoryCode', group.category),
      tag('ram:RateApplicablePercent', group.percent),
    ].join(''),
  );
}

function writeLine(line: SampleLine, index: number): string {
  const document =
    tag('ram:LineID', String(index + 1)) +
    tag('ram:ParentLineID', line.parent) +
    tag('ram:LineStatusReasonCode', line.subtype) +
    (line.note ? tag('ram:IncludedNote', tag('ram:Content', line.note)) : '');
  const properties = (line.properties ?? []).map(({ name, value }) =>
    tag('ram:ApplicableProductCharacteristic', tag('ram:Description', name) + tag('ram:Value', value)),
  );
  const price = tag('ram:ChargeAmount', line.price) + tag('ram:BasisQuantity', line.priceFor);
  return tag(
    'ram:IncludedSupplyChainTradeLineItem',
    [
      tag('ram:AssociatedDocumentLineDocument', document),
      tag(
        'ram:SpecifiedTradeProduct',
        tag('ram:Name', line.name) + tag('ram:Description', line.description) + properties.join(''),
      ),
      tag('ram:SpecifiedLineTradeAgreement', tag('ram:NetPriceProductTradePrice', price)),
      tag(
        'ram:SpecifiedLineTradeDelivery',
        [
          tag('ram:BilledQuantity', line.qty, 'unitCode="C62"'),
          line.delivery ? delivery({ delivery: line.delivery }) : '',
          referenced('DeliveryNoteReferencedDocument', line.despatch),
        ].join(''),
      ),
      tag(
        'ram:SpecifiedLineTradeSettlement',
        [
          tag('ram:ApplicableTradeTax', tag('ram:TypeCode', 'VAT') + tag('ram:RateApplicablePercent', line.percent)),
          tag('ram:SpecifiedTradeSettlementLineMonetarySummation', tag('ram:LineTotalAmount', line.ht)),
          referenced('InvoiceReferencedDocument', line.preceding),
          line.object ? referenced('AdditionalReferencedDocument', line.object) : '',
        ].join(''),
      ),
    ].join(''),
  );
}

function referenced(name: string, id?: string): string {
  return id === undefined ? '' : tag(`ram:${name}`, tag('ram:IssuerAssignedID', id));
}

function date(day: string): string {
  return tag('udt:DateTimeString', day.replaceAll('-', ''), 'format="102"');
}
