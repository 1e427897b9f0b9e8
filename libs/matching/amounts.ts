import type { CanonicalInvoice } from '@app/contracts';
import { cents } from './guards.ts';
import type { Candidate, MatchSettings } from './matching.ts';

/** How an invoice stands to what was ordered, from best to worst. */
export const amountLevels = ['equal', 'close', 'near', 'part', 'above'] as const;
export type AmountLevel = (typeof amountLevels)[number];

/**
 * `basis` says what was compared with, with its amount. `over`: above it by more than the tolerance. `covered`: what is
 * on the ticket already leaves nothing to invoice. `level` null: there is nothing to compare with.
 */
export type AmountLook = {
  level: AmountLevel | null;
  basis: string;
  withVat: boolean;
  over: boolean;
  covered: boolean;
};

/** What was ordered, in cents; VAT is not said (orders in France are without). `rest`: what remains of it. */
type Basis = { name: string; amount: number; rest: boolean };

const nearPart = 0.1;
const equalCents = 2;

/**
 * Compares the invoice with the orders `named` by its references (none: all of the ticket), else with the validated
 * quotes; where invoices are on the ticket already, with what remains of them (spec: domain.md section 6.2).
 */
export function lookAtAmount(
  { amounts }: CanonicalInvoice,
  candidate: Candidate,
  { named, settings }: { named: ReadonlySet<string>; settings: MatchSettings },
): AmountLook {
  const ordered = orderedOn(candidate, named);
  const total = ordered.reduce((sum, { amount }) => sum + amount, 0);
  const [ht, ttc] = [cents(amounts.ht), cents(amounts.ttc)];
  const linkedHt = candidate.linked.reduce((sum, one) => sum + cents(one.ht), 0);
  const linkedTtc = candidate.linked.reduce((sum, one) => sum + cents(one.ttc), 0);
  const covered = isCovered({ candidate, total, ht, ttc, linkedHt, tolerance: toleranceOf(total, settings) });
  const bases = covered ? [] : basesOf(ordered, total, linkedHt);
  const looks = bases.map((basis) => {
    const withoutVat = levelOf(ht, basis.rest ? basis.amount - linkedHt : basis.amount, settings);
    const withVat = levelOf(ttc, basis.rest ? basis.amount - linkedTtc : basis.amount, settings);
    // A part, or a total somewhere near, says nothing of a sum with VAT: any invoice would have one or the other.
    const isWithVat = rank(withVat.level) <= rank('close') && rank(withVat.level) < rank(withoutVat.level);
    return { ...(isWithVat ? withVat : withoutVat), withVat: isWithVat, basis: nameOf(basis, linkedHt), covered };
  });
  const [best] = looks.sort((one, other) => rank(one.level) - rank(other.level));
  return best ?? { level: null, basis: '', withVat: false, over: false, covered };
}

function orderedOn({ ticket, purchases }: Candidate, named: ReadonlySet<string>): Basis[] {
  const orders = purchases.filter(
    ({ kind, deleted, amount }) => kind === 'purchase_order' && !deleted && (amount ?? 0) > 0,
  );
  const meant = orders.filter(({ id }) => named.has(id));
  const chosen = meant.length > 0 ? meant : orders;
  if (chosen.length > 0) {
    return chosen.map((one) => ({ name: `order ${one.reference}`, amount: cents(one.amount ?? 0), rest: false }));
  }
  return ticket.quotes
    .filter(({ status, price }) => status === 'validated' && Number(price) > 0)
    .map(({ reference, price }) => ({ name: `quote ${reference}`, amount: cents(Number(price)), rest: false }));
}

function basesOf(ordered: Basis[], total: number, linked: number): Basis[] {
  if (ordered.length === 0) return [];
  const remaining = total - linked;
  const whole = {
    name: ordered.length > 1 ? 'all orders' : (ordered[0] as Basis).name,
    amount: total,
    rest: linked > 0,
  };
  if (ordered.length === 1) return [whole];
  return [...ordered.filter(({ amount }) => amount <= remaining + equalCents), whole];
}

/** Everything ordered is invoiced, or a sum like this one is, and more than what remains. */
function isCovered(look: {
  candidate: Candidate;
  total: number;
  ht: number;
  ttc: number;
  linkedHt: number;
  tolerance: number;
}): boolean {
  const { candidate, total, ht, ttc, linkedHt, tolerance } = look;
  if (candidate.linked.length === 0) return false;
  const hasTwin = candidate.linked.some((one) => Math.abs(cents(one.ttc) - ttc) <= equalCents);
  if (total === 0) return hasTwin;
  return total - linkedHt <= tolerance || (hasTwin && ht > total - linkedHt + tolerance);
}

function levelOf(value: number, basis: number, settings: MatchSettings): { level: AmountLevel; over: boolean } {
  const more = value - basis;
  const tolerance = toleranceOf(basis, settings);
  if (Math.abs(more) <= equalCents) return { level: 'equal', over: false };
  if (Math.abs(more) <= tolerance) return { level: 'close', over: false };
  if (Math.abs(more) <= basis * nearPart) return { level: 'near', over: more > 0 };
  return more < 0 ? { level: 'part', over: false } : { level: 'above', over: true };
}

function toleranceOf(amount: number, { toleranceAmount, tolerancePart }: MatchSettings): number {
  return Math.max(cents(toleranceAmount), Math.abs(amount) * tolerancePart);
}

function nameOf({ name, amount, rest }: Basis, linked: number): string {
  return rest ? `the remaining part of ${name}, ${money(amount - linked)}` : `${name}, ${money(amount)}`;
}

function rank(level: AmountLevel): number {
  return amountLevels.indexOf(level);
}

/** Cents as people read an amount: `1 284.50`. */
export function money(amount: number): string {
  const [whole = '0', part] = (Math.abs(amount) / 100).toFixed(2).split('.');
  return `${amount < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ' ')}.${part}`;
}
