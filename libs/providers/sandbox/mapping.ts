import { type CanonicalInvoice, type InvoiceLine, invoiceKinds, type ReferenceKind } from '@app/contracts';
import { OptionalFields } from '@app/einvoice';
import {
  accounts,
  amountsOf,
  companyNumbers,
  currencyCode,
  day,
  decimal,
  invoiceNumber,
  label,
  notes,
  parsePayload,
  reference,
  required,
  rows,
} from '../parsing/fields.ts';
import { identifier, type Json, list, record } from '../parsing/json.ts';

/** The kind of each reference in the sandbox's JSON. */
const referenceKinds: Record<string, ReferenceKind> = {
  purchase_order: 'order',
  sales_order: 'sales_order',
  buyer_reference: 'buyer_reference',
  project: 'project',
  contract: 'contract',
  receipt: 'receipt',
  despatch: 'despatch',
  preceding_invoice: 'preceding_invoice',
};

/** The sandbox's JSON (tools/demo/sandbox-provider/README.md) as a canonical invoice. @throws AppError invalid `unmappable` */
export function normalizeSandbox(raw: Buffer): CanonicalInvoice {
  const invoice = parsePayload(raw);
  const amounts = amountsIn(record(invoice['amounts']));
  const references = record(invoice['references']);
  const optional = new OptionalFields();
  return {
    kind: kindOf(invoice, amounts.ttc),
    number: required('number', invoiceNumber(invoice['number'])),
    issueDate: required('issue date', day('the issue date', invoice['issue_date'])),
    dueDate: optional.read(() => day('the due date', invoice['due_date'])),
    currency: required('currency', currencyCode(invoice['currency'])),
    supplier: supplierOf(record(invoice['supplier'])),
    buyer: buyerOf(invoice['buyer']),
    amounts,
    vatBreakdown: rows('VAT rates', invoice['vat_breakdown']).flatMap(
      (one, index) => optional.read(() => vatOf(one, index)) ?? [],
    ),
    lines: rows('lines', invoice['lines']).map((line, index) => lineOf(line, index, optional)),
    matchHints: {
      poRef: reference(references['purchase_order']),
      ticketRef: reference(references['ticket']),
      orderRef: reference(references['sales_order']),
    },
    references: Object.entries(referenceKinds).flatMap(([name, kind]) => {
      const value = reference(references[name]);
      return value === null ? [] : [{ kind, value }];
    }),
    notes: notes(list(invoice['notes'])),
    places: notes([invoice['delivery_address']]),
    providerStatus: label(invoice['status']),
    warnings: optional.warnings,
  };
}

function amountsIn(amounts: Json) {
  const part = (name: string) => decimal(`amounts.${name}`, amounts[name]);
  return amountsOf({ ht: part('ht'), tva: part('tva'), ttc: part('ttc') });
}

function kindOf(invoice: Json, ttc: number): CanonicalInvoice['kind'] {
  const kind = invoiceKinds.find((one) => one === invoice['kind']) ?? 'invoice';
  return kind === 'invoice' && ttc < 0 ? 'credit_note' : kind;
}

function supplierOf(supplier: Json): CanonicalInvoice['supplier'] {
  const { siren, siret, vat_number: vatNumber, iban } = supplier;
  return {
    externalId: identifier(supplier['id']),
    name: label(supplier['name']),
    ...companyNumbers({ siren, siret, vatNumber }),
    accounts: accounts(iban),
  };
}

function buyerOf(value: unknown): CanonicalInvoice['buyer'] {
  const { name, ...numbers } = record(value);
  const { siren, siret } = companyNumbers({
    siren: numbers['siren'],
    siret: numbers['siret'],
    vatNumber: null,
  });
  return label(name) === null && siren === null ? null : { name: label(name), siren, siret };
}

function vatOf(value: unknown, index: number): CanonicalInvoice['vatBreakdown'][number] {
  const at = `vat_breakdown.${index}`;
  const part = (name: string) => required(`${at}.${name}`, decimal(`${at}.${name}`, record(value)[name]));
  return { rate: part('rate'), base: part('base'), amount: part('amount') };
}

function lineOf(value: unknown, index: number, optional: OptionalFields): InvoiceLine {
  const line = record(value);
  const part = (name: string) => optional.read(() => decimal(`lines.${index}.${name}`, line[name]));
  return {
    label: label(line['label']) ?? '',
    qty: part('quantity'),
    unitPrice: part('unit_price'),
    ht: part('ht'),
    vatRate: part('vat_rate'),
  };
}
