import type { LineOnTicket } from '../invoices/invoice-line.ts';
import type { Purchase } from '../purchases/purchase.ts';
import { invoicedInEuros } from '../statistics/ticket-entries.ts';
import type { Quote } from '../tickets/ticket.ts';

/** The tickets of a place or of equipment, as far as their costs are read. */
export type CostedTicket = { _id: string; quotes: Quote[]; has_purchases?: true; has_invoices?: true };

/**
 * Amounts without VAT, in euros with two decimals. They are not added up: most orders are made of a validated quote, and invoices of
 * both; credit notes are taken off, as in figures.
 * `with_vat`: how many quotes and orders say their amount with VAT alone, and are in neither sum.
 */
export type Costs = { tickets: number; quotes_ht: string; orders_ht: string; invoiced_ht: string; with_vat: number };

/** Of the finest price that a quote may have. Sums are rounded to the cent at the end. */
const decimals = 6;

type Amount = { amount: string; includes_vat: boolean };

/** What the validated quotes, the orders and the invoices of these tickets come to; `lines`: those of each ticket. */
export function costsOf(
  tickets: readonly CostedTicket[],
  purchases: readonly Purchase[],
  lines: readonly LineOnTicket[][],
): Costs {
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
    invoiced_ht: euros(BigInt(lines.flatMap(invoicedInEuros).reduce((sum, { ht }) => sum + ht, 0))),
    with_vat: [...quotes, ...orders].filter(({ includes_vat }) => includes_vat).length,
  };
}

function sumOf(amounts: readonly Amount[]): string {
  const millionths = amounts
    .filter(({ includes_vat }) => !includes_vat)
    .reduce((sum, { amount }) => sum + millionthsOf(amount), 0n);
  return euros((millionths + 5_000n) / 10_000n);
}

function euros(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Of a decimal text that is not negative. */
function millionthsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
