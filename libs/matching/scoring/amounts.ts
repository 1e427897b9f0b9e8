import type { CanonicalInvoice } from '@app/contracts';
import type { Candidate, MatchSettings } from '../matching.ts';
import { cents, formatCents } from '../money.ts';
import { type AmountLevel, amountLevels } from './signal.ts';

/**
 * `basis` says what the invoice was compared with, with its amount. `over`: above it by more than the tolerance. `covered`:
 * the invoices that are on the ticket already leave nothing to invoice. `level` null: there is nothing to compare with.
 */
export type AmountComparison = {
  level: AmountLevel | null;
  basis: string;
  compared: ComparedAmount | null;
  withVat: boolean;
  over: boolean;
  covered: boolean;
};

/**
 * What the invoice is compared with, as `basis` says it in words: the amount in cents of one order
 * or quote, or of all of them; `remaining`: what the linked invoices leave of it.
 */
type ComparedAmount = { kind: 'order' | 'quote'; references: string[]; amount: number; remaining: boolean };

/** An ordered amount, in cents without VAT. `remaining`: compare with what the linked invoices leave of it. */
type Basis = ComparedAmount & { id: string; name: string };

const nearFraction = 0.1;
const equalCents = 2;

/**
 * Compares the invoice with the orders `named` by its references (if none: with each order), and with the sum of all
 * orders; without orders, with the validated quotes. If invoices are on the ticket already, the remaining amount counts.
 */
export function compareAmount(
  { amounts }: CanonicalInvoice,
  candidate: Candidate,
  { named, settings }: { named: ReadonlySet<string>; settings: MatchSettings },
): AmountComparison {
  const ordered = orderedOn(candidate);
  const total = ordered.reduce((sum, { amount }) => sum + amount, 0);
  const [ht, ttc] = [cents(amounts.ht), cents(amounts.ttc)];
  const linkedHt = candidate.linked.reduce((sum, one) => sum + cents(one.ht), 0);
  const linkedTtc = candidate.linked.reduce((sum, one) => sum + cents(one.ttc), 0);
  const covered = isCovered({ candidate, total, ht, ttc, linkedHt, tolerance: toleranceOf(total, settings) });
  const bases = covered ? [] : basesOf({ ordered, named, total, linked: linkedHt });
  const comparisons = bases.map((basis) => {
    const withoutVat = levelOf(ht, basis.remaining ? basis.amount - linkedHt : basis.amount, settings);
    const withVat = levelOf(ttc, basis.remaining ? basis.amount - linkedTtc : basis.amount, settings);
    // With VAT only `equal` and `close` count: almost any total is near some amount, or a part of it.
    const isWithVat = rank(withVat.level) <= rank('close') && rank(withVat.level) < rank(withoutVat.level);
    return {
      ...(isWithVat ? withVat : withoutVat),
      withVat: isWithVat,
      basis: describe(basis, linkedHt),
      compared: comparedOf(basis, linkedHt),
      covered,
    };
  });
  const [best] = comparisons.sort((one, other) => rank(one.level) - rank(other.level));
  return best ?? { level: null, basis: '', compared: null, withVat: false, over: false, covered };
}

function orderedOn({ ticket, purchases }: Candidate): Basis[] {
  const orders = purchases.filter(
    ({ kind, deleted, amount }) => kind === 'purchase_order' && !deleted && (amount ?? 0) > 0,
  );
  if (orders.length > 0) {
    return orders.map(({ id, reference, amount }) => ({
      ...{ id, name: `order ${reference}`, kind: 'order' as const, references: [reference] },
      ...{ amount: cents(amount ?? 0), remaining: false },
    }));
  }
  return ticket.quotes
    .filter(({ status, price }) => status === 'validated' && Number(price) > 0)
    .map(({ id, reference, price }) => ({
      ...{ id, name: `quote ${reference}`, kind: 'quote' as const, references: [reference] },
      ...{ amount: cents(Number(price)), remaining: false },
    }));
}

type Ordered = { ordered: Basis[]; named: ReadonlySet<string>; total: number; linked: number };

/** The sum (or what remains of it), and each order that is named, or any, unless it exceeds what remains. */
function basesOf({ ordered, named, total, linked }: Ordered): Basis[] {
  const [first] = ordered;
  if (!first) return [];
  const name = ordered.length > 1 ? `all of ${ordered.map((one) => one.name).join(', ')}` : first.name;
  const references = ordered.flatMap((one) => one.references);
  const sum = { id: '', name, kind: first.kind, references, amount: total, remaining: linked > 0 };
  if (ordered.length === 1) return [sum];
  const namedOrders = ordered.filter(({ id }) => named.has(id));
  const single = namedOrders.length > 0 ? namedOrders : ordered;
  return [...single.filter(({ amount }) => amount <= total - linked + equalCents), sum];
}

type Coverage = { candidate: Candidate; total: number; ht: number; ttc: number; linkedHt: number; tolerance: number };

/** All that was ordered is invoiced; or an equal amount is, and this invoice exceeds what remains. */
function isCovered({ candidate, total, ht, ttc, linkedHt, tolerance }: Coverage): boolean {
  if (candidate.linked.length === 0) return false;
  const hasEqualTotal = candidate.linked.some((one) => Math.abs(cents(one.ttc) - ttc) <= equalCents);
  if (total === 0) return hasEqualTotal;
  return total - linkedHt <= tolerance || (hasEqualTotal && ht > total - linkedHt + tolerance);
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

function describe({ name, amount, remaining }: Basis, linked: number): string {
  return remaining
    ? `the remaining part of ${name}, ${formatCents(amount - linked)}`
    : `${name}, ${formatCents(amount)}`;
}

function comparedOf({ kind, references, amount, remaining }: Basis, linked: number): ComparedAmount {
  return { kind, references, amount: remaining ? amount - linked : amount, remaining };
}

function rank(level: AmountLevel): number {
  return amountLevels.indexOf(level);
}
