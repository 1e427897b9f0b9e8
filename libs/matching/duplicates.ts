import type { CanonicalInvoice } from '@app/contracts';
import { cents } from './money.ts';
import { compact, plain } from './references/references.ts';
import { supplierNumbers } from './supplier.ts';

/** What identifies an invoice among others: `key` from `duplicateKey`, `hash` of its document (null: it has none). */
export type InvoiceFingerprint = { key: string; number: string; ttc: number; hash: string | null };

const equalTotalCents = 2;

/**
 * Whether two invoice numbers are the same, however they are written. If both have separators, their segments are compared,
 * leading zeros aside (`F1-12` is not `F11-2`); otherwise they are compared as one text (`FA-2026-00311` is `FA202600311`).
 */
export function isSameNumber(one: string, other: string): boolean {
  const [ones, others] = [formsOf(one), formsOf(other)];
  const bySegment = ones.segments !== null && others.segments !== null;
  return bySegment ? ones.segments === others.segments : ones.whole !== '' && ones.whole === others.whole;
}

/** The number as one text, and segment by segment if it has separators. */
function formsOf(number: string): { whole: string; segments: string | null } {
  const segments = segmentsOf(number);
  return {
    whole: withoutLeadingZeros(segments.join('')),
    segments: segments.length > 1 ? segments.map(withoutLeadingZeros).join('-') : null,
  };
}

/** A key that equal numbers share. Others may share it too: `isSameNumber` decides. */
export function numberKey(number: string): string {
  return segmentsOf(number).join('').replaceAll('0', '');
}

function segmentsOf(number: string): string[] {
  return plain(number)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((segment) => segment !== '');
}

function withoutLeadingZeros(segment: string): string {
  return segment.replace(/^0+(?=.)/, '');
}

/**
 * A key that copies of one invoice share: supplier (SIREN, else VAT number, else name), `numberKey`, year of issue. The
 * year is part of it because small suppliers restart their numbering every year.
 */
export function duplicateKey({ supplier, number, issueDate }: CanonicalInvoice): string {
  const { siren } = supplierNumbers(supplier, []);
  const who = siren ?? compact(plain(supplier.vatNumber ?? supplier.name ?? ''));
  return [who, numberKey(number), issueDate.slice(0, 4)].join(':');
}

/**
 * `duplicate_suspected`: same document, or same supplier, number, year and total. `same_number`: the same with another total
 * and document, which is only flagged.
 */
export function compareInvoices(
  one: InvoiceFingerprint,
  other: InvoiceFingerprint,
): 'duplicate_suspected' | 'same_number' | null {
  if (one.hash !== null && one.hash === other.hash) return 'duplicate_suspected';
  if (one.key !== other.key || !isSameNumber(one.number, other.number)) return null;
  return Math.abs(cents(one.ttc) - cents(other.ttc)) <= equalTotalCents ? 'duplicate_suspected' : 'same_number';
}

/** Two invoices with the same number and total share one of them. Others may share one too: `compareInvoices` decides. */
export function duplicateMarks({ key, number, ttc }: InvoiceFingerprint): string[] {
  const { whole, segments } = formsOf(number);
  if (whole === '') return [];
  const forms = segments === null ? [whole] : [whole, segments];
  // A total that counts as equal to a lower one is in a range of it.
  const ranges = [cents(ttc), cents(ttc) + equalTotalCents].map((one) => Math.floor(one / (equalTotalCents + 1)));
  return forms.flatMap((form) => [...new Set(ranges)].map((range) => `${key}:${form}:${range}`));
}

/** The numbers of the invoices that a credit note or a corrective invoice names; a corrective one never replaces itself. */
export function precedingNumbers({
  kind,
  number,
  references,
}: Pick<CanonicalInvoice, 'kind' | 'number' | 'references'>): string[] {
  if (kind === 'invoice') return [];
  const named = references.flatMap((one) => (one.kind === 'preceding_invoice' ? [one.value] : []));
  return [...new Set(named)].filter((one) => kind === 'credit_note' || !isSameNumber(one, number));
}
