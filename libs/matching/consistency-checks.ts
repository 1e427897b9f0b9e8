import type { CanonicalInvoice } from '@app/contracts';
import { readIban } from '@app/kernel';
import { cents } from './money.ts';

const roundingCentsPerLine = 2;
const maxRoundingCents = 100;

/** True if net amount and VAT do not add up to the total. Rounding may cost 2 cents per line, and 1.00 in all. */
export function amountsInconsistent({ amounts: { ht, tva, ttc }, lines }: CanonicalInvoice): boolean {
  const allowed = Math.min(roundingCentsPerLine * Math.max(1, lines.length), maxRoundingCents);
  return Math.abs(cents(ht) + cents(tva) - cents(ttc)) > allowed;
}

/** True if only other bank accounts of the contractor are known. The first IBAN ever seen is accepted. */
export function ibanChanged(iban: string | null, known: readonly string[]): boolean {
  return iban !== null && known.length > 0 && !known.includes(readIban(iban) ?? iban);
}
