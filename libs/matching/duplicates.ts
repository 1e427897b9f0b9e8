import type { CanonicalInvoice } from '@app/contracts';
import { cents } from './money.ts';
import { compact, plain } from './references/references.ts';
import { supplierNumbers } from './supplier.ts';

/** What identifies an invoice among others: `key` from `duplicateKey`, `hash` of its document (null: it has none). */
export type InvoiceFingerprint = { key: string; ttc: number; hash: string | null };

const equalTotalCents = 2;

/** An invoice number for comparison: upper case, without punctuation and leading zeros (`f-0012` becomes `F12`). */
export function numberKey(number: string): string {
  const zeroless = plain(number).replace(/(?<![0-9])0+(?=\d)/g, '');
  return compact(zeroless);
}

/**
 * The key that two copies of one invoice share: supplier (SIREN, else VAT number, else name), number, year of issue. The
 * year is part of it because small suppliers restart their numbering every year.
 */
export function duplicateKey({ supplier, number, issueDate }: CanonicalInvoice): string {
  const { siren } = supplierNumbers(supplier, []);
  const who = siren ?? compact(plain(supplier.vatNumber ?? supplier.name ?? ''));
  return [who, numberKey(number), issueDate.slice(0, 4)].join(':');
}

/**
 * `duplicate_suspected`: same document, or same key and total. `same_number`: same key with another total and document,
 * which is only flagged.
 */
export function compareInvoices(
  one: InvoiceFingerprint,
  other: InvoiceFingerprint,
): 'duplicate_suspected' | 'same_number' | null {
  if (one.hash !== null && one.hash === other.hash) return 'duplicate_suspected';
  if (one.key !== other.key) return null;
  return Math.abs(cents(one.ttc) - cents(other.ttc)) <= equalTotalCents ? 'duplicate_suspected' : 'same_number';
}

/** Numbers (`numberKey`) of the preceding invoices that a credit note or a corrective invoice names. */
export function precedingKeys({ references }: Pick<CanonicalInvoice, 'references'>): string[] {
  const named = references.filter(({ kind }) => kind === 'preceding_invoice');
  return [...new Set(named.map(({ value }) => numberKey(value)).filter((key) => key !== ''))];
}
