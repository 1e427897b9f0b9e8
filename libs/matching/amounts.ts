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
type Basis = { id: string; name: string; amount: number; rest: boolean };

const nearPart = 0.1;
const equalCents = 2;

/**
 * Compares the invoice with the orders `named` by its references (none: any), and with all of the ticket together; where
 * there is no order, with the validated quotes. With invoices on the ticket already it is what remains that counts (spec:
 * domain.md section 6.2).
 */
export function lookAtAmount(
  { amounts }: CanonicalInvoice,
  candidate: Candidate,
  { named, settings }: { named: ReadonlySet<string>; settings: MatchSettings },
): AmountLook {
  const ordered = orderedOn(candidate);
  const total = ordered.reduce((sum, { amount }) => sum + amount, 0);
  const [ht, ttc] = [cents(amounts.ht), cents(amounts.ttc)];
  const linkedHt = candidate.linked.reduce((sum, one) => sum + cents(one.ht), 0);
  const linkedTtc = candidate.linked.reduce((sum, one) => sum + cents(one.ttc), 0);
  const covered = isCovered({ candidate, total, ht, ttc, linkedHt, tolerance: toleranceOf(total, settings) });
  const bases = covered ? [] : basesOf({ ordered, named, total, linked: linkedHt });
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

function orderedOn({ ticket, purchases }: Candidate): Basis[] {
  const orders = purchases.filter(
    ({ kind, deleted, amount }) => kind === 'purchase_order' && !deleted && (amount ?? 0) > 0,
  );
  if (orders.length > 0) {
    return orders.map(({ id, reference, amount }) => ({
      ...{ id, name: `order ${reference}`, amount: cents(amount ?? 0), rest: false },
    }));
  }
  return ticket.quotes
    .filter(({ status, price }) => status === 'validated' && Number(price) > 0)
    .map(({ id, reference, price }) => ({
      ...{ id, name: `quote ${reference}`, amount: cents(Number(price)), rest: false },
    }));
}

/** The whole (what remains of it), and each single one that is named, or any, if it is no more than what remains. */
function basesOf(look: { ordered: Basis[]; named: ReadonlySet<string>; total: number; linked: number }): Basis[] {
  const { ordered, named, total, linked } = look;
  const [first] = ordered;
  if (!first) return [];
  const name = ordered.length > 1 ? `all of ${ordered.map((one) => one.name).join(', ')}` : first.name;
  const whole = { id: '', name, amount: total, rest: linked > 0 };
  if (ordered.length === 1) return [whole];
  const meant = ordered.filter(({ id }) => named.has(id));
  const single = meant.length > 0 ? meant : ordered;
  return [...single.filter(({ amount }) => amount <= total - linked + equalCents), whole];
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
  return `${amount < 0 ? '-' : ''}${whole.replace(/\B(?=(?:\d{3}){1,7}$)/g, ' ')}.${part}`;
}
