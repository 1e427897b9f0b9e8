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

/** Accounts `confirmed` for the contractor by links; `ofOthers`: those on invoices of suppliers with another SIREN. */
export type KnownAccounts = { confirmed: readonly string[]; ofOthers: readonly string[] };

/**
 * True if one of the accounts was never confirmed for the contractor. While none was, a single IBAN is accepted that is no
 * other supplier's.
 */
export function hasUnconfirmedAccount(accounts: readonly string[], { confirmed, ofOthers }: KnownAccounts): boolean {
  const isSingle = confirmed.length === 0 && new Set(accounts).size === 1;
  const mayBeFirst = (account: string) => isSingle && readIban(account) !== null && !ofOthers.includes(account);
  return accounts.some((account) => !confirmed.includes(account) && !mayBeFirst(account));
}
