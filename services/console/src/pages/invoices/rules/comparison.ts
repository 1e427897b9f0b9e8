import type { Choice } from './choice.ts';
import type { Invoice, Signal } from './invoice.ts';

type GapLevel = 'equal' | 'close' | 'near' | 'far' | 'below';
export type Gap = { difference: number; share: number; level: GapLevel };

const cents = (amount: number) => Math.round(amount * 100);

/**
 * How the invoice's amount differs from the ticket's; the levels are those of matching. Null if
 * there is nothing, or nothing left, to compare with.
 */
export function gapOf(invoiced: number, compared: number): Gap | null {
  if (compared <= 0) return null;
  const difference = (cents(invoiced) - cents(compared)) / 100;
  const share = difference / Math.abs(compared);
  const distance = Math.abs(difference);
  if (distance <= 0.02) return { difference, share, level: 'equal' };
  if (distance <= Math.max(5, Math.abs(compared) * 0.02)) return { difference, share, level: 'close' };
  if (Math.abs(share) < 0.1) return { difference, share, level: 'near' };
  return { difference, share, level: difference > 0 ? 'far' : 'below' };
}

/** The values of the invoice beside those of the ticket. */
export type Comparison = {
  reference: { invoice: string | null; ticket: string | null };
  /**
   * `withVat`: both are with VAT. `remaining`: what other invoices leave of the order. No gap where there is nothing to
   * compare: tickets are in euros, and a credit note gives back a part of an invoice.
   */
  amount: { invoice: number; ticket: number | null; withVat: boolean; remaining: boolean; gap: Gap | null } | null;
  /** ISO dates: when the invoice was issued, and when the work of the ticket was done. */
  date: { invoice: string | null; ticket: string | null };
  invoiced: { count: number; ht: number };
};

/** Of orders and quotes. */
export const ticketCurrency = 'EUR';

const referenceCodes = ['reference', 'reference_learned', 'reference_shared', 'reference_near'];

export function compare({ amounts, currency, matchHints, issueDate }: Invoice, choice: Choice): Comparison {
  const byCode = (code: string) => choice.signals.find((signal) => signal.code === code)?.values;
  const hit = choice.signals.find(({ code }) => referenceCodes.includes(code))?.values;
  const held = [...choice.orders, ...choice.quotes].map(({ reference }) => reference).find((one) => one !== '');
  const amount = byCode('amount');
  const ordered = amountLeft(choice);
  const withVat = amount?.withVat ?? ordered?.withVat ?? false;
  const compared = amount?.compared ?? ordered?.amount ?? null;
  const invoice = amounts === null ? null : withVat ? amounts.ttc : amounts.ht;
  const isComparable = (currency ?? ticketCurrency) === ticketCurrency && (invoice ?? 0) >= 0;
  return {
    reference: {
      invoice: hit?.written ?? matchHints.poRef ?? matchHints.ticketRef ?? matchHints.orderRef ?? null,
      ticket: hit?.held ?? held ?? null,
    },
    amount:
      invoice === null
        ? null
        : {
            invoice,
            ticket: compared,
            withVat,
            remaining: amount?.remaining ?? ordered?.remaining ?? false,
            gap: compared === null || !isComparable ? null : gapOf(invoice, compared),
          },
    date: { invoice: issueDate, ticket: byCode('issued_after_intervention')?.date ?? null },
    invoiced: {
      count: choice.invoiced.length,
      ht: choice.invoiced.reduce((sum, { ht }) => sum + cents(ht), 0) / 100,
    },
  };
}

/**
 * What other invoices leave of the ordered amount or, without an order, of the quoted one; null too if some are with VAT and
 * some without.
 */
function amountLeft({
  orders,
  quotes,
  invoiced,
}: Choice): { amount: number; withVat: boolean; remaining: boolean } | null {
  const ordered = orders.flatMap(({ amount, includesVat }) => (amount === null ? [] : [{ amount, includesVat }]));
  const validated = quotes.filter(({ status }) => status === 'validated');
  const held =
    ordered.length > 0 ? ordered : validated.map(({ price, includesVat }) => ({ amount: price, includesVat }));
  const [withVat, other] = new Set(held.map(({ includesVat }) => includesVat));
  if (withVat === undefined || other !== undefined) return null;
  const before = invoiced.reduce((sum, one) => sum + cents(withVat ? one.ttc : one.ht), 0);
  const left = held.reduce((sum, { amount }) => sum + cents(amount), -before) / 100;
  return { amount: left, withVat, remaining: before > 0 };
}

/**
 * What spoke for the ticket when matching put the invoice there, without the signals about amounts,
 * which have changed since. Null if a person linked it: then nobody has compared the two.
 */
export function signalsOfLink({ history, reasonCodes }: Pick<Invoice, 'history' | 'reasonCodes'>): Signal[] | null {
  const signals = history.findLast(({ to }) => to === 'ticket_matched' || to === 'linked')?.signals ?? [];
  if (signals.length === 0) return null;
  const isChanged = reasonCodes.some(({ code }) => code === 'changed_after_link');
  return isChanged ? signals.filter(({ code }) => code !== 'amount' && code !== 'only_amount') : signals;
}

export type Mark = 'for' | 'doubt' | 'against';

/** Whether a signal speaks for the ticket. One without points, or by mere similarity, is a doubt. */
export function markOf({ code, points, values }: Signal): Mark {
  if (points < 0) return 'against';
  const doubtful = ['reference_near', 'reference_shared', 'likely_supplier', 'preceding_invoice'];
  if (doubtful.includes(code) || points === 0) return 'doubt';
  return code === 'amount' && (values.level === 'near' || values.level === 'part') ? 'doubt' : 'for';
}

/** Net plus VAT, and how far the total is from it, in units of the currency. */
export function sumOf({ ht, tva, ttc }: NonNullable<Invoice['amounts']>): { sum: number; difference: number } {
  const sum = cents(ht) + cents(tva);
  return { sum: sum / 100, difference: (cents(ttc) - sum) / 100 };
}
