import type { LifeCycle } from './invoice-statuses/statuses.ts';

/**
 * `corrective`: type 384 of UNTDID 1001 and its variants. `credit_note`: type 381 and its
 * variants, or else a negative total.
 */
export const invoiceKinds = ['invoice', 'credit_note', 'corrective'] as const;
export type InvoiceKind = (typeof invoiceKinds)[number];

/**
 * A supplier invoice in the form that every provider's payload is mapped to, plus what matching needs. Amounts are numbers that
 * print as the decimal text of the payload; sums are compared in whole cents. Missing values are null or `[]`.
 */
export type CanonicalInvoice = {
  kind: InvoiceKind;
  number: string;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  dueDate: string | null;
  /** ISO 4217. */
  currency: string;
  supplier: InvoiceSupplier;
  /** Who is invoiced, as far as the document says. */
  buyer: { name: string | null; siren: string | null; siret: string | null } | null;
  /** `ht` is without VAT, `tva` the VAT, `ttc` with VAT. */
  amounts: { ht: number; tva: number; ttc: number };
  /** `rate` is a fraction: 0.2 is 20 %. */
  vatBreakdown: { rate: number; base: number; amount: number }[];
  lines: InvoiceLine[];
  /** The number of the purchase order, that of the ticket, and the supplier's own order number. */
  matchHints: { poRef: string | null; ticketRef: string | null; orderRef: string | null };
  /** Every reference of the document; `kind` says from which field it is. */
  references: { kind: ReferenceKind; value: string }[];
  /** Texts that are searched for references and locations. */
  notes: string[];
  /** Delivery addresses. */
  places: string[];
  /** The status at the provider. */
  providerStatus: string | null;
  /** Absent if the provider is no approved platform. */
  lifeCycle?: LifeCycle;
  /** It says that not all of it is of this supplier: it is of several, or bills both ways (BT-23). Absent otherwise. */
  isShared?: true;
  /** It came outside of e-invoicing, so its provider tells its supplier nothing. Absent otherwise. */
  isElectronic?: false;
  /** What the document gives and could not be read, a sentence each: fields that an invoice can do without. */
  warnings: string[];
};

export type InvoiceSupplier = {
  /** The supplier's id at the provider. */
  externalId: string | null;
  name: string | null;
  siret: string | null;
  siren: string | null;
  vatNumber: string | null;
  /** All that the document asks to pay to, sorted: IBANs without spaces, and as written what cannot be read as one. */
  accounts: string[];
};

/** `unitPrice` and `ht` are without VAT; `vatRate` is a fraction. */
export type InvoiceLine = {
  label: string;
  qty: number | null;
  unitPrice: number | null;
  ht: number | null;
  vatRate: number | null;
};

/**
 * The field of the document that a reference is from (EN 16931: BT-13, BT-14, BT-10, BT-11, BT-12,
 * BT-15, BT-16, BT-25).
 */
export type ReferenceKind =
  | 'order'
  | 'sales_order'
  | 'buyer_reference'
  | 'project'
  | 'contract'
  | 'receipt'
  | 'despatch'
  | 'preceding_invoice';

/**
 * Limits of an invoice: numbers of entries, and characters of each. Longer names and texts are cut, longer references are dropped;
 * a document with a longer number, more lines or more accounts is refused.
 */
export const invoiceLimits = {
  lines: 10_000,
  references: 500,
  notes: 1_000,
  places: 50,
  warnings: 20,
  accounts: 100,
  numberLength: 100,
  referenceLength: 200,
  labelLength: 300,
  noteLength: 1_000,
  /** On either side of the decimal point. */
  decimalDigits: 40,
} as const;
