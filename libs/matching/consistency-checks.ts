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

/**
 * True if one of the accounts was never confirmed for the contractor. While none was, IBANs are accepted, but nothing that cannot
 * be read as one.
 */
export function hasUnconfirmedAccount(accounts: readonly string[], confirmed: readonly string[]): boolean {
  const mayBeFirst = (account: string) => confirmed.length === 0 && readIban(account) !== null;
  return accounts.some((account) => !confirmed.includes(account) && !mayBeFirst(account));
}
