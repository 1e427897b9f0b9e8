import { type CanonicalInvoice, type InvoiceLine, invoiceLimits as limits } from '@app/contracts';
import { OptionalFields, readEInvoice } from '@app/einvoice';
import { AppError } from '@app/kernel';
import {
  accounts,
  amountsOf,
  companyNumbers,
  currencyCode,
  day,
  decimal,
  invoiceNumber,
  label,
  minus,
  notes,
  parsePayload,
  plus,
  reference,
  required,
  rows,
} from '../parsing/fields.ts';
import { identifier, type Json, record } from '../parsing/json.ts';
import { numberOf } from './purchase-request.ts';

/**
 * Pennylane's invoice as a canonical one. If its file is an e-invoice (XML, or a PDF with XML inside), the file takes precedence: it
 * is what the supplier sent, while Pennylane may have read its fields from a picture. Pennylane completes what the file lacks.
 * @throws AppError invalid `unmappable`
 */
export function normalizePennylane(raw: Buffer, document: Buffer | null): CanonicalInvoice {
  const payload = parsed(raw);
  const eInvoice = eInvoiceIn(document);
  return eInvoice === null ? ownInvoice(payload) : complete(eInvoice, payload);
}

function ownInvoice(payload: Payload): CanonicalInvoice {
  const { invoice } = payload;
  const amounts = amountsIn(invoice);
  const optional = new OptionalFields();
  const lines = payload.lines.map((line, index) => lineOf(line, index, optional));
  return {
    kind: amounts.ttc < 0 ? 'credit_note' : 'invoice',
    number: required('number', invoiceNumber(invoice['invoice_number'])),
    issueDate: required('issue date', day('the issue date', invoice['date'])),
    dueDate: optional.read(() => day('the due date', invoice['deadline'])),
    currency: required('currency', currencyCode(invoice['currency'])),
    supplier: supplierIn(payload),
    buyer: null,
    amounts,
    vatBreakdown: breakdownOf(lines),
    lines: lines.map(({ tax, ...line }) => line),
    ...hintsIn(payload),
    notes: notesIn(payload),
    places: [],
    ...standingOf(invoice),
    warnings: optional.warnings,
  };
}

function complete(eInvoice: CanonicalInvoice, payload: Payload): CanonicalInvoice {
  const own = supplierIn(payload);
  const { matchHints, references } = hintsIn(payload);
  const said = new Set(eInvoice.references.map(({ value }) => value));
  return {
    ...eInvoice,
    supplier: {
      externalId: own.externalId,
      name: eInvoice.supplier.name ?? own.name,
      siret: eInvoice.supplier.siret ?? own.siret,
      siren: eInvoice.supplier.siren ?? own.siren,
      vatNumber: eInvoice.supplier.vatNumber ?? own.vatNumber,
      accounts: eInvoice.supplier.accounts.length > 0 ? eInvoice.supplier.accounts : own.accounts,
    },
    matchHints: { ...eInvoice.matchHints, poRef: matchHints.poRef ?? eInvoice.matchHints.poRef },
    references: [...eInvoice.references, ...references.filter(({ value }) => !said.has(value))].slice(
      0,
      limits.references,
    ),
    notes: [...eInvoice.notes, ...notes([payload.invoice['label']])].slice(0, limits.notes),
    ...standingOf(payload.invoice),
  };
}

/** Null if the file is no e-invoice but a plain PDF or a picture. */
function eInvoiceIn(document: Buffer | null): CanonicalInvoice | null {
  try {
    return document === null ? null : readEInvoice(document);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

type Payload = { invoice: Json; lines: Json[]; supplier: Json; purchaseRequests: Json[] };

function parsed(raw: Buffer): Payload {
  const { invoice, lines, supplier, purchase_requests } = parsePayload(raw);
  return {
    invoice: record(invoice),
    lines: rows('lines', lines).map(record),
    supplier: record(supplier),
    purchaseRequests: rows('purchase requests', purchase_requests).map(record),
  };
}

/** In the currency of the invoice; `amount` and `tax` are in euros. */
function amountsIn(invoice: Json) {
  const part = (name: string) => decimal(name, invoice[name]);
  const tva = part('currency_tax') ?? part('tax');
  return amountsOf({ ht: part('currency_amount_before_tax'), tva, ttc: part('currency_amount') ?? part('amount') });
}

function supplierIn({ invoice, supplier }: Payload): CanonicalInvoice['supplier'] {
  const { establishment_no: siret, reg_no: siren, vat_number: vatNumber, iban } = supplier;
  return {
    externalId: identifier(supplier['id']) ?? identifier(record(invoice['supplier'])['id']),
    name: label(supplier['name']),
    ...companyNumbers({ siren, siret, vatNumber }),
    accounts: accounts(iban),
  };
}

/** The order is the linked purchase request; `external_reference` was written by people, or by our own feedback. */
function hintsIn({ invoice, purchaseRequests }: Payload): Pick<CanonicalInvoice, 'matchHints' | 'references'> {
  const orders = purchaseRequests.map(numberOf).filter((number) => number !== null);
  const external = reference(invoice['external_reference']);
  const values = [...new Set([...orders, ...(external === null ? [] : [external])])].slice(0, limits.references);
  return {
    matchHints: { poRef: orders[0] ?? external, ticketRef: null, orderRef: null },
    references: values.map((value) => ({ kind: 'order', value })),
  };
}

function notesIn({ invoice, lines }: Payload): string[] {
  return notes([invoice['label'], ...lines.map((line) => line['description'])]);
}

/** The status at the tax platform, else that of the payment. What came by e-mail or was uploaded is not there. */
function standingOf(invoice: Json): Pick<CanonicalInvoice, 'providerStatus' | 'isElectronic'> {
  const { e_invoicing: electronic, payment_status: payment } = invoice;
  const providerStatus = label(record(electronic)['status']) ?? label(payment);
  return electronic ? { providerStatus } : { providerStatus, isElectronic: false };
}

type Line = InvoiceLine & { tax: number | null };

/** Its `currency_amount` includes its tax. */
function lineOf(line: Json, index: number, optional: OptionalFields): Line {
  const part = (name: string, value = line[name]) => optional.read(() => decimal(`lines.${index}.${name}`, value));
  const ttc = part('currency_amount', line['currency_amount'] ?? line['amount']);
  const tax = part('currency_tax', line['currency_tax'] ?? line['tax']);
  return {
    label: label(line['label']) ?? '',
    qty: part('quantity'),
    unitPrice: part('raw_currency_unit_price'),
    ht: ttc === null || tax === null ? null : minus(ttc, tax),
    vatRate: rateOf(line['vat_rate']),
    tax,
  };
}

/** `FR_200` is 20.0 %, `FR_55` 5.5 %; codes without a number (`exempt`, `extracom`, `intracom_…`) are 0 %. */
function rateOf(code: unknown): number | null {
  const written = label(code);
  if (written === null) return null;
  const thousandths = /^[A-Z]{2}_(\d{1,4})$/.exec(written)?.[1];
  if (thousandths !== undefined) return Number(thousandths) / 1000;
  return /\d/.test(written) ? null : 0;
}

function breakdownOf(lines: Line[]): CanonicalInvoice['vatBreakdown'] {
  const byRate = new Map<number, { rate: number; base: number; amount: number }>();
  for (const { vatRate: rate, ht, tax } of lines) {
    if (rate === null || ht === null || tax === null) continue;
    const sum = byRate.get(rate) ?? { rate, base: 0, amount: 0 };
    byRate.set(rate, { rate, base: plus(sum.base, ht), amount: plus(sum.amount, tax) });
  }
  return [...byRate.values()];
}
