import type { Purchase } from '../purchases/purchase.ts';
import type { Quote } from '../tickets/ticket.ts';

/** The tickets of a place or of equipment, as far as their costs are read. */
export type CostedTicket = { _id: string; quotes: Quote[]; has_purchases?: true };

/**
 * Amounts without VAT, in euros with two decimals. They are not added up, since most orders are made of a validated quote.
 * `with_vat`: how many quotes and orders say their amount with VAT alone, and are in neither sum.
 */
export type Costs = { tickets: number; quotes_ht: string; orders_ht: string; with_vat: number };

/** Of the finest price that a quote may have. Sums are rounded to the cent at the end. */
const decimals = 6;

type Amount = { amount: string; includes_vat: boolean };

/** What the validated quotes and the orders of these tickets come to. */
export function costsOf(tickets: readonly CostedTicket[], purchases: readonly Purchase[]): Costs {
  const quotes = tickets
    .flatMap((ticket) => ticket.quotes)
    .filter(({ status }) => status === 'validated')
    .map(({ price: amount, includes_vat }) => ({ amount, includes_vat }));
  const orders = purchases.flatMap(({ kind, amount, includes_vat }) =>
    kind === 'purchase_order' && amount !== null ? [{ amount: amount.toFixed(decimals), includes_vat }] : [],
  );
  return {
    tickets: tickets.length,
    quotes_ht: sumOf(quotes),
    orders_ht: sumOf(orders),
    with_vat: [...quotes, ...orders].filter(({ includes_vat }) => includes_vat).length,
  };
}

function sumOf(amounts: readonly Amount[]): string {
  const millionths = amounts
    .filter(({ includes_vat }) => !includes_vat)
    .reduce((sum, { amount }) => sum + millionthsOf(amount), 0n);
  const cents = (millionths + 5_000n) / 10_000n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** Of a decimal text that is not negative. */
function millionthsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
