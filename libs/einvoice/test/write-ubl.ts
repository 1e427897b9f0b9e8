import type { Sample, SampleLine, SampleParty } from './sample.ts';

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd';

export function tag(name: string, content: string | undefined, attributes = ''): string {
  return content === undefined ? '' : `<${name}${attributes === '' ? '' : ` ${attributes}`}>${content}</${name}>`;
}

/** UBL 2.1; type code 381 as a CreditNote, everything else as an Invoice. */
export function writeUbl(sample: Sample): string {
  const root = sample.typeCode === '381' ? 'CreditNote' : 'Invoice';
  const spaces = `xmlns="${ubl}:${root}-2" xmlns:cac="${ubl}:CommonAggregateComponents-2" xmlns:cbc="${ubl}:CommonBasicComponents-2"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${spaces}>${[
    ...header(sample, root),
    ...documents(sample, root),
    tag('cac:AccountingSupplierParty', party(sample.seller)),
    tag('cac:AccountingCustomerParty', party(sample.buyer)),
    sample.payee && tag('cac:PayeeParty', bare(sample.payee)),
    sample.representative && tag('cac:TaxRepresentativeParty', bare(sample.representative)),
    delivery(sample),
    ...payment(sample, root),
    ...totals(sample),
    ...sample.lines.map((line, index) => writeLine(line, { sample, root, index })),
  ].join('\n')}</${root}>`;
}

function header(sample: Sample, root: string): string[] {
  return [
    tag('cbc:CustomizationID', 'urn:cen.eu:en16931:2017'),
    tag('cbc:ProfileID', sample.process),
    tag('cbc:ID', sample.number),
    tag('cbc:IssueDate', sample.issueDate),
    root === 'Invoice' ? tag('cbc:DueDate', sample.dueDate) : '',
    tag(`cbc:${root}TypeCode`, sample.typeCode),
    ...(sample.notes ?? []).map(({ code, text }) => tag('cbc:Note', `${code ? `#${code}#` : ''}${text}`)),
    tag('cbc:DocumentCurrencyCode', sample.currency),
    tag('cbc:AccountingCost', sample.accountingReference),
    tag('cbc:BuyerReference', sample.buyerReference),
  ];
}

function documents(sample: Sample, root: string): string[] {
  const reference = (name: string, id?: string) => (id === undefined ? '' : tag(`cac:${name}`, tag('cbc:ID', id)));
  const order = [tag('cbc:ID', sample.order ?? 'NA'), tag('cbc:SalesOrderID', sample.salesOrder)].join('');
  return [
    sample.order || sample.salesOrder ? tag('cac:OrderReference', order) : '',
    ...(sample.preceding ?? []).map((id) => tag('cac:BillingReference', reference('InvoiceDocumentReference', id))),
    reference('DespatchDocumentReference', sample.despatch),
    reference('ReceiptDocumentReference', sample.receipt),
    reference('OriginatorDocumentReference', sample.tender),
    reference('ContractDocumentReference', sample.contract),
    ...(sample.support ?? []).map(({ id, name }) =>
      tag('cac:AdditionalDocumentReference', tag('cbc:ID', id) + tag('cbc:DocumentDescription', name)),
    ),
    root === 'Invoice' ? reference('ProjectReference', sample.project) : projectOfCreditNote(sample.project),
  ];
}

function projectOfCreditNote(project?: string): string {
  return project === undefined
    ? ''
    : tag('cac:AdditionalDocumentReference', tag('cbc:ID', project) + tag('cbc:DocumentTypeCode', '50'));
}

function party(from: SampleParty): string {
  return tag('cac:Party', bare(from));
}

function bare(from: SampleParty): string {
  const scheme = (id: { scheme?: string }) => (id.scheme === undefined ? '' : `schemeID="${id.scheme}"`);
  const tax = (id: string, kind: string) =>
    tag('cac:PartyTaxScheme', tag('cbc:CompanyID', id) + tag('cac:TaxScheme', tag('cbc:ID', kind)));
  return [
    from.address && tag('cbc:EndpointID', from.address.value, scheme(from.address)),
    ...(from.ids ?? []).map((id) => tag('cac:PartyIdentification', tag('cbc:ID', id.value, scheme(id)))),
    from.tradingName && tag('cac:PartyName', tag('cbc:Name', from.tradingName)),
    from.country && tag('cac:PostalAddress', tag('cac:Country', tag('cbc:IdentificationCode', from.country))),
    from.taxNumber && tax(from.taxNumber, 'FC'),
    from.vat && tax(from.vat, 'VAT'),
    tag(
      'cac:PartyLegalEntity',
      tag('cbc:RegistrationName', from.name) +
        (from.legalId ? tag('cbc:CompanyID', from.legalId.value, scheme(from.legalId)) : ''),
    ),
  ].join('');
}

function delivery({ delivery: to }: Pick<Sample, 'delivery'>): string {
  if (!to) return '';
  const address = [
    tag('cbc:StreetName', to.street),
    tag('cbc:AdditionalStreetName', to.more),
    tag('cbc:CityName', to.city),
    tag('cbc:PostalZone', to.postcode),
  ].join('');
  const location = tag('cac:DeliveryLocation', tag('cbc:ID', to.id) + tag('cac:Address', address));
  return tag('cac:Delivery', location + tag('cac:DeliveryParty', tag('cac:PartyName', tag('cbc:Name', to.name))));
}

function payment(sample: Sample, root: string): string[] {
  const due = root === 'CreditNote' ? tag('cbc:PaymentDueDate', sample.dueDate) : '';
  const accounts = sample.accounts ?? (due === '' ? [] : [undefined]);
  return [
    ...accounts.map((account) =>
      tag(
        'cac:PaymentMeans',
        `${tag('cbc:PaymentMeansCode', '30')}${due}${account ? tag('cac:PayeeFinancialAccount', tag('cbc:ID', account)) : ''}`,
      ),
    ),
    sample.terms === undefined ? '' : tag('cac:PaymentTerms', tag('cbc:Note', sample.terms)),
  ];
}

function totals({ totals: sums, vat, currency }: Sample): string[] {
  const amount = (name: string, value?: string, of = currency) => tag(`cbc:${name}`, value, `currencyID="${of}"`);
  const groups = vat.map((group) => {
    const category = [tag('cbc:ID', group.category), tag('cbc:Percent', group.percent)].join('');
    return tag(
      'cac:TaxSubtotal',
      amount('TaxableAmount', group.base) + amount('TaxAmount', group.amount) + tag('cac:TaxCategory', category),
    );
  });
  return [
    ...(sums.tva ?? []).map((total) =>
      tag(
        'cac:TaxTotal',
        amount('TaxAmount', total.amount, total.currency) + (total.currency === currency ? groups.join('') : ''),
      ),
    ),
    tag(
      'cac:LegalMonetaryTotal',
      [
        amount('LineExtensionAmount', '999999.99'),
        amount('TaxExclusiveAmount', sums.ht),
        amount('TaxInclusiveAmount', sums.ttc),
        amount('PrepaidAmount', sums.prepaid),
        amount('PayableAmount', sums.due),
      ].join(''),
    ),
  ];
}

function writeLine(line: SampleLine, { sample, root, index }: { sample: Sample; root: string; index: number }): string {
  const currency = `currencyID="${sample.currency}"`;
  const category = tag('cac:ClassifiedTaxCategory', tag('cbc:ID', 'S') + tag('cbc:Percent', line.percent));
  const properties = (line.properties ?? []).map(({ name, value }) =>
    tag('cac:AdditionalItemProperty', tag('cbc:Name', name) + tag('cbc:Value', value)),
  );
  return tag(
    `cac:${root}Line`,
    [
      tag('cbc:ID', String(index + 1)),
      tag('cbc:Note', line.note),
      tag(root === 'Invoice' ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity', line.qty, 'unitCode="C62"'),
      tag('cbc:LineExtensionAmount', line.ht, currency),
      line.despatch && tag('cac:DespatchLineReference', tag('cac:DocumentReference', tag('cbc:ID', line.despatch))),
      line.subtype && billing(sample.number, line),
      line.preceding && billing(line.preceding),
      line.object === undefined
        ? ''
        : tag('cac:DocumentReference', tag('cbc:ID', line.object) + tag('cbc:DocumentTypeCode', '130')),
      line.delivery && delivery({ delivery: line.delivery }),
      tag(
        'cac:Item',
        tag('cbc:Description', line.description) + tag('cbc:Name', line.name) + category + properties.join(''),
      ),
      line.price === undefined
        ? ''
        : tag('cac:Price', tag('cbc:PriceAmount', line.price, currency) + tag('cbc:BaseQuantity', line.priceFor)),
    ].join(''),
  );
}

function billing(number: string, { subtype, parent }: Pick<SampleLine, 'subtype' | 'parent'> = {}): string {
  const document = tag('cbc:ID', number) + tag('cbc:DocumentStatusCode', subtype);
  const line = parent === undefined ? '' : tag('cac:BillingReferenceLine', tag('cbc:ID', parent));
  return tag('cac:BillingReference', tag('cac:InvoiceDocumentReference', document) + line);
}
