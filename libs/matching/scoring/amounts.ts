import type { CanonicalInvoice } from '@app/contracts';
import type { Candidate, LinkedInvoice, MatchSettings } from '../matching.ts';
import { cents, formatCents } from '../money.ts';
import type { KnownReference } from '../references/known-references.ts';
import { type AmountLevel, amountLevels } from './signal.ts';

/**
 * `basis` says what the invoice was compared with, with its amount; `withVat`: both are with VAT. `over`: above it by more
 * than the tolerance. `covered`: the invoices that are on the ticket already leave nothing to invoice, of all or of the orders
 * that this one names, or nobody knows what they leave of these. `level` null: there is nothing to compare with. `fitsWithVat`: the total with VAT would fit an amount without, which is a hint and no more.
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

/** `linkedVat`: the VAT of the linked invoices that are subtracted. */
type Basis = ComparedAmount & { id: string; name: string; withVat: boolean; linkedVat: number };

const nearFraction = 0.1;
const equalCents = 2;

/**
 * Compares the invoice with the orders `named` by its references (if none: with each order), and with the sum of all
 * orders; without orders, with the validated quotes. If invoices are on the ticket already, the remaining amount counts: of
 * an order, what the invoices that name it leave. What was ordered with VAT is compared with VAT, everything else without.
 */
export function compareAmount(
  { amounts }: CanonicalInvoice,
  candidate: Candidate,
  { named, settings }: { named: readonly KnownReference[]; settings: MatchSettings },
): AmountComparison {
  const ordered = orderedOn(candidate);
  const mixed = new Set(ordered.map((one) => one.withVat)).size > 1;
  const withVat = !mixed && (ordered[0]?.withVat ?? false);
  const ids = idsOf(named, ordered);
  const single = ids.size > 0 ? ordered.filter(({ id }) => ids.has(id)) : ordered;
  const isPart = !mixed && single.length < ordered.length;
  const own = isPart ? linkedFor(candidate, ordered, single) : candidate.linked;
  const leavesNothing = (of: readonly Basis[], linked: readonly LinkedInvoice[]) => {
    const total = mixed ? 0 : of.reduce((sum, { amount }) => sum + amount, 0);
    return isCovered({ linked, amounts, withVat, total, tolerance: toleranceOf(total, settings) });
  };
  const covered = own === null || leavesNothing(ordered, candidate.linked) || (isPart && leavesNothing(single, own));
  const unknown = { level: null, basis: '', compared: null, withVat, fitsWithVat: false, over: false, covered, mixed };
  const bases = mixed ? mixedBases(candidate, single) : basesOf(candidate, ordered, single);
  const comparisons = (covered ? [] : bases).map((basis) => {
    const found = levelOf(centsOf(amounts, basis.withVat), basis.amount, settings);
    const ifWithVat = basis.withVat ? found : levelOf(centsOf(amounts, true), basis.amount - basis.linkedVat, settings);
    const fitsWithVat = !isWithinTolerance(found) && isWithinTolerance(ifWithVat);
    return { ...unknown, ...found, withVat: basis.withVat, fitsWithVat, basis: describe(basis), compared: basis };
  });
  // Beside an order that is named, the sum of all counts only if it fits: most amounts are a part of it.
  const isPartNamed = single.length < ordered.length && bases.length > 1;
  const [best] = comparisons
    .filter((one) => !isPartNamed || one.compared?.references.length !== ordered.length || isWithinTolerance(one))
    .sort((one, other) => rank(one.level) - rank(other.level));
  return best ?? unknown;
}

type Receipt = Pick<Candidate['purchases'][number], 'amount' | 'includes_vat'>;

/**
 * How the invoice compares with what was received and is not invoiced yet; null if a receipt has no amount, or some amounts are with VAT
 * and some without.
 */
export function compareReceived(
  { amounts }: CanonicalInvoice,
  { linked }: Candidate,
  { receipts, settings }: { receipts: readonly Receipt[]; settings: MatchSettings },
): AmountLevel | null {
  const withVat = receipts[0]?.includes_vat ?? false;
  if (receipts.some((one) => one.amount === null || one.includes_vat !== withVat)) return null;
  const invoiced = Math.max(linkedSum(linked, withVat), 0);
  const left = receipts.reduce((sum, { amount }) => sum + cents(amount ?? 0), -invoiced);
  return levelOf(centsOf(amounts, withVat), left, settings).level;
}

function orderedOn({ ticket, purchases }: Candidate): Basis[] {
  const orders = purchases.filter(
    ({ kind, deleted, amount }) => kind === 'purchase_order' && !deleted && (amount ?? 0) > 0,
  );
  if (orders.length > 0) {
    return orders.map(({ id, reference, amount, includes_vat: withVat }) => ({
      id,
      name: `order ${reference}`,
      kind: 'order',
      references: [reference],
      amount: cents(amount ?? 0),
      remaining: false,
      withVat,
      linkedVat: 0,
    }));
  }
  return ticket.quotes
    .filter(({ status, price }) => status === 'validated' && Number(price) > 0)
    .map(({ reference, price, includes_vat: withVat }) => ({
      id: reference,
      name: `quote ${reference}`,
      kind: 'quote',
      references: [reference],
      amount: cents(Number(price)),
      remaining: false,
      withVat,
      linkedVat: 0,
    }));
}

function centsOf({ ht, ttc }: LinkedInvoice, withVat: boolean): number {
  return cents(withVat ? ttc : ht);
}

/** The orders (ids) that these references belong to; where quotes stand for orders, the quotes. */
function idsOf(references: readonly KnownReference[], [first]: readonly Basis[]): Set<string> {
  const byQuote = first?.kind === 'quote';
  return new Set(references.flatMap(({ kind, text, order }) => order ?? (byQuote && kind === 'quote' ? text : [])));
}

/** The linked invoices that were for these of the orders; null if that is not known of all. */
function linkedFor(
  { linked, references }: Candidate,
  ordered: readonly Basis[],
  these: readonly Basis[],
): LinkedInvoice[] | null {
  const found: LinkedInvoice[] = [];
  for (const one of linked.filter(({ ht, ttc }) => ht !== 0 || ttc !== 0)) {
    const forms = new Set(one.references);
    const named = idsOf(
      references.filter((reference) => reference.forms.some((form) => forms.has(form))),
      ordered,
    );
    const ofThese = these.filter(({ id }) => named.has(id));
    if (named.size === 0 || (ofThese.length > 0 && ofThese.length < named.size)) return null;
    if (ofThese.length > 0) found.push(one);
  }
  return found;
}

/** The sum (or what remains of it), and each single order, and these together, unless they exceed what remains. */
function basesOf(candidate: Candidate, ordered: Basis[], single: Basis[]): Basis[] {
  if (ordered.length === 0) return [];
  const sum = sumOf(ordered, candidate.linked);
  if (ordered.length === 1) return [sum];
  const isPart = single.length > 1 && single.length < ordered.length;
  // What an invoice was for that names no order, or several, is subtracted from the sum alone.
  const parts = [...single.map((one) => [one]), ...(isPart ? [single] : [])].map((these) =>
    sumOf(these, linkedFor(candidate, ordered, these) ?? []),
  );
  return [...parts.filter(({ amount }) => amount > 0 && amount <= sum.amount + equalCents), sum];
}

/** What the linked invoices leave of the orders; credit notes never make it more. */
function sumOf(orders: readonly Basis[], linked: readonly LinkedInvoice[]): Basis {
  const [first] = orders as [Basis];
  const invoiced = linkedSum(linked, first.withVat);
  const remaining = invoiced > 0;
  return {
    ...first,
    id: '',
    name: orders.length > 1 ? `all of ${orders.map(({ name }) => name).join(', ')}` : first.name,
    references: orders.flatMap(({ references }) => references),
    amount: orders.reduce((sum, { amount }) => sum + amount, -Math.max(invoiced, 0)),
    remaining,
    linkedVat: remaining ? linkedSum(linked, true) - linkedSum(linked, false) : 0,
  };
}

function linkedSum(linked: readonly LinkedInvoice[], withVat: boolean): number {
  return linked.reduce((sum, one) => sum + centsOf(one, withVat), 0);
}

/** Amounts that cannot be added up are compared one by one. Once something is invoiced, nobody knows what remains of which. */
function mixedBases({ linked }: Candidate, single: Basis[]): Basis[] {
  return linked.length === 0 ? single : [];
}

type Coverage = {
  linked: readonly LinkedInvoice[];
  amounts: LinkedInvoice;
  withVat: boolean;
  total: number;
  tolerance: number;
};

/** All that was ordered is invoiced; or an equal amount is, and this invoice exceeds what remains. */
function isCovered({ linked, amounts, withVat, total, tolerance }: Coverage): boolean {
  if (linked.length === 0) return false;
  const own = centsOf(amounts, withVat);
  const isRepeated = linked.some((one) => Math.abs(centsOf(one, withVat) - own) <= equalCents);
  if (total === 0) return isRepeated;
  const left = total - linkedSum(linked, withVat);
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
