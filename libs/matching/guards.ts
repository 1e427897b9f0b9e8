import type { CanonicalInvoice } from '@app/contracts';
import { readIban } from '@app/kernel';
import { compact, plain } from './references.ts';
import { supplierNumbers } from './supplier.ts';

/** What tells whether two invoices are one: `key` by `duplicateKey`, `hash` that of the document (null: it has none). */
export type InvoiceTwin = { key: string; ttc: number; hash: string | null };

const sameTtcCents = 2;
const mostInconsistentCents = 100;

/** An invoice's number as it is compared: upper case, without punctuation and leading zeros (`f-0012` is F12). */
export function numberKey(number: string): string {
  const zeroless = plain(number).replace(/(?<![0-9])0+(?=\d)/g, '');
  return compact(zeroless);
}

/**
 * Under which an invoice may come twice: supplier (SIREN, else VAT number, else name), number, year of issue. Small
 * suppliers begin anew each year (spec: domain.md section 5).
 */
export function duplicateKey({ supplier, number, issueDate }: CanonicalInvoice): string {
  const { siren } = supplierNumbers(supplier, []);
  const who = siren ?? compact(plain(supplier.vatNumber ?? supplier.name ?? ''));
  return [who, numberKey(number), issueDate.slice(0, 4)].join(':');
}

/** `duplicate_suspected` waits for a person; `same_number` (another total, another document) is worth a flag, no more. */
export function sameInvoice(one: InvoiceTwin, other: InvoiceTwin): 'duplicate_suspected' | 'same_number' | null {
  if (one.hash !== null && one.hash === other.hash) return 'duplicate_suspected';
  if (one.key !== other.key) return null;
  return Math.abs(cents(one.ttc) - cents(other.ttc)) <= sameTtcCents ? 'duplicate_suspected' : 'same_number';
}

/** Under which numbers the invoices stand that a credit note or a corrective invoice names (see `numberKey`). */
export function precedingKeys({ references }: Pick<CanonicalInvoice, 'references'>): string[] {
  const named = references.filter(({ kind }) => kind === 'preceding_invoice');
  return [...new Set(named.map(({ value }) => numberKey(value)).filter((key) => key !== ''))];
}

/** True where without VAT and VAT do not make the total: 2 cents per line may be lost to rounding, 1.00 in all. */
export function amountsInconsistent({ amounts: { ht, tva, ttc }, lines }: CanonicalInvoice): boolean {
  const allowed = Math.min(sameTtcCents * Math.max(1, lines.length), mostInconsistentCents);
  return Math.abs(cents(ht) + cents(tva) - cents(ttc)) > allowed;
}

/** True where the contractor is known by other bank accounts; the first one ever is learned, not suspected. */
export function ibanChanged(iban: string | null, known: readonly string[]): boolean {
  return iban !== null && known.length > 0 && !known.includes(readIban(iban) ?? iban);
}

/** An amount in whole cents, so that sums are exact. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}
