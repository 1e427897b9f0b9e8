import type { CanonicalInvoice } from '@app/contracts';
import type { Candidate, LinkedInvoice, MatchSettings } from '../matching.ts';
import { cents, formatCents } from '../money.ts';
import { type AmountLevel, amountLevels } from './signal.ts';

/**
 * `basis` says what the invoice was compared with, with its amount; `withVat`: both are with VAT. `over`: above it by more
 * than the tolerance. `covered`: the invoices that are on the ticket already leave nothing to invoice. `level` null: there is
 * nothing to compare with. `fitsWithVat`: the total with VAT would fit an amount without, which is a hint and no more.
 * `mixed`: some amounts of the ticket are with VAT and some without, so that they cannot be added up.
 */
export type AmountComparison = {
  level: AmountLevel | null;
  basis: string;
  compared: ComparedAmount | null;
  withVat: boolean;
  fitsWithVat: boolean;
  over: boolean;
  covered: boolean;
  mixed: boolean;
};

/**
 * What the invoice is compared with, as `basis` says it in words: the amount in cents of one order
 * or quote, or of all of them; `remaining`: what the linked invoices leave of it.
 */
type ComparedAmount = { kind: 'order' | 'quote'; references: string[]; amount: number; remaining: boolean };

type Basis = ComparedAmount & { id: string; name: string; withVat: boolean };

const nearFraction = 0.1;
const equalCents = 2;

/**
 * Compares the invoice with the orders `named` by its references (if none: with each order), and with the sum of all
 * orders; without orders, with the validated quotes. If invoices are on the ticket already, the remaining amount counts.
 * What was ordered with VAT is compared with VAT, everything else without.
 */
export function compareAmount(
  { amounts }: CanonicalInvoice,
  candidate: Candidate,
  { named, settings }: { named: ReadonlySet<string>; settings: MatchSettings },
): AmountComparison {
  const ordered = orderedOn(candidate);
  const mixed = new Set(ordered.map((one) => one.withVat)).size > 1;
  const withVat = !mixed && (ordered[0]?.withVat ?? false);
  const linkedOn = (onVat: boolean) => candidate.linked.reduce((sum, one) => sum + centsOf(one, onVat), 0);
  const total = mixed ? 0 : ordered.reduce((sum, { amount }) => sum + amount, 0);
  const covered = isCovered({ candidate, amounts, withVat, total, tolerance: toleranceOf(total, settings) });
  const unknown = { level: null, basis: '', compared: null, withVat, fitsWithVat: false, over: false, covered, mixed };
  const single = named.size > 0 ? ordered.filter(({ id }) => named.has(id)) : ordered;
  const bases = mixed ? mixedBases(candidate, single) : basesOf({ ordered, single, total, linked: linkedOn(withVat) });
  const comparisons = (covered ? [] : bases).map((basis) => {
    const found = levelOf(centsOf(amounts, basis.withVat), basis.amount, settings);
    const linkedVat = basis.remaining ? linkedOn(true) - linkedOn(false) : 0;
    const ifWithVat = basis.withVat ? found : levelOf(centsOf(amounts, true), basis.amount - linkedVat, settings);
    const fitsWithVat = !isWithinTolerance(found) && isWithinTolerance(ifWithVat);
    return { ...unknown, ...found, withVat: basis.withVat, fitsWithVat, basis: describe(basis), compared: basis };
  });
  const [best] = comparisons.sort((one, other) => rank(one.level) - rank(other.level));
  return best ?? unknown;
}

function orderedOn({ ticket, purchases }: Candidate): Basis[] {
  const orders = purchases.filter(
    ({ kind, deleted, amount }) => kind === 'purchase_order' && !deleted && (amount ?? 0) > 0,
  );
  if (orders.length > 0) {
    return orders.map(({ id, reference, amount, includes_vat: withVat = false }) => ({
      ...{ id, name: `order ${reference}`, kind: 'order' as const, references: [reference] },
      ...{ amount: cents(amount ?? 0), remaining: false, withVat },
    }));
  }
  return ticket.quotes
    .filter(({ status, price }) => status === 'validated' && Number(price) > 0)
    .map(({ id, reference, price, includes_vat: withVat = false }) => ({
      ...{ id, name: `quote ${reference}`, kind: 'quote' as const, references: [reference] },
      ...{ amount: cents(Number(price)), remaining: false, withVat },
    }));
}

function centsOf({ ht, ttc }: LinkedInvoice, withVat: boolean): number {
  return cents(withVat ? ttc : ht);
}

type Ordered = { ordered: Basis[]; single: Basis[]; total: number; linked: number };

/** The sum (or what remains of it), and each single order unless it exceeds what remains. */
function basesOf({ ordered, single, total, linked }: Ordered): Basis[] {
  const [first] = ordered;
  if (!first) return [];
  const name = ordered.length > 1 ? `all of ${ordered.map((one) => one.name).join(', ')}` : first.name;
  const references = ordered.flatMap((one) => one.references);
  const isRemaining = linked > 0;
  const amount = isRemaining ? total - linked : total;
  const sum = { ...first, id: '', name, references, amount, remaining: isRemaining };
  if (ordered.length === 1) return [sum];
  return [...single.filter((one) => one.amount <= total - linked + equalCents), sum];
}

/** Amounts that cannot be added up are compared one by one. Once something is invoiced, nobody knows what remains of which. */
function mixedBases({ linked }: Candidate, single: Basis[]): Basis[] {
  return linked.length === 0 ? single : [];
}

type Coverage = {
  candidate: Candidate;
  amounts: LinkedInvoice;
  withVat: boolean;
  total: number;
  tolerance: number;
};

/** All that was ordered is invoiced; or an equal amount is, and this invoice exceeds what remains. */
function isCovered({ candidate: { linked }, amounts, withVat, total, tolerance }: Coverage): boolean {
  if (linked.length === 0) return false;
  const own = centsOf(amounts, withVat);
  const isRepeated = linked.some((one) => Math.abs(centsOf(one, withVat) - own) <= equalCents);
  if (total === 0) return isRepeated;
  const left = linked.reduce((rest, one) => rest - centsOf(one, withVat), total);
  return left <= tolerance || (isRepeated && own > left + tolerance);
}

function levelOf(value: number, basis: number, settings: MatchSettings): { level: AmountLevel; over: boolean } {
  const excess = value - basis;
  const tolerance = toleranceOf(basis, settings);
  if (Math.abs(excess) <= equalCents) return { level: 'equal', over: false };
  if (Math.abs(excess) <= tolerance) return { level: 'close', over: false };
  if (Math.abs(excess) <= basis * nearFraction) return { level: 'near', over: excess > 0 };
  return excess < 0 ? { level: 'part', over: false } : { level: 'above', over: true };
}

function toleranceOf(amount: number, { toleranceAmount, toleranceFraction }: MatchSettings): number {
  return Math.max(cents(toleranceAmount), Math.abs(amount) * toleranceFraction);
}

function isWithinTolerance({ level }: { level: AmountLevel }): boolean {
  return rank(level) <= rank('close');
}

function describe({ name, amount, remaining }: Basis): string {
  return remaining ? `the remaining part of ${name}, ${formatCents(amount)}` : `${name}, ${formatCents(amount)}`;
}

function rank(level: AmountLevel): number {
  return amountLevels.indexOf(level);
}
