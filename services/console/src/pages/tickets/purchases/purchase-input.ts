import { numberIn, textOf } from '../../../components/forms/form-values.ts';
import type { Ticket } from '../list-query.ts';

export type Purchase = Ticket['purchases'][number];
export type Kind = Purchase['kind'];
export const kinds = ['purchase_request', 'purchase_order', 'goods_receipt'] as const satisfies readonly Kind[];

/** In these statuses the API takes no purchase documents. */
const closed: readonly Ticket['status'][] = ['draft', 'canceled', 'declined', 'removed'];

export function takesPurchases({ status }: Pick<Ticket, 'status'>): boolean {
  return !closed.includes(status);
}

export const noChoice = 'none';

/** What was entered; null: the field is empty. */
export type Entered = {
  reference: string | undefined;
  amount: number | null;
  includes_vat: boolean;
  date: string | null;
  quote_id: string | null;
  purchase_order_id: string | null;
};

export function enteredIn(values: FormData): Entered {
  const date = textOf(values, 'date');
  const chosen = (name: string) => {
    const id = textOf(values, name);
    return id === undefined || id === noChoice ? null : id;
  };
  return {
    reference: textOf(values, 'reference'),
    amount: numberIn(values, 'amount'),
    includes_vat: textOf(values, 'includes_vat') !== undefined,
    date: date === undefined ? null : `${date}T00:00:00Z`,
    quote_id: chosen('quote_id'),
    purchase_order_id: chosen('purchase_order_id'),
  };
}

/** `isTyped`: by the user, or known from the document. */
export type Amount = { text: string; withVat: boolean; isTyped: boolean };

/** After a quote was chosen: its price, unless an amount was typed. */
export function amountOfQuote(amount: Amount, quoted: Pick<Amount, 'text' | 'withVat'>): Amount {
  return amount.isTyped ? amount : { ...quoted, isTyped: false };
}

/** A new document: without what was left empty. */
export function newPurchase(kind: Kind, entered: Entered) {
  const given = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null));
  return { ...given, kind, reference: entered.reference as string };
}

type Changes = Partial<
  Pick<Purchase, 'reference' | 'amount' | 'includes_vat' | 'date' | 'quote_id' | 'purchase_order_id'>
>;

/**
 * The fields that differ from the document. If the date is empty, it stays, since a document always
 * has one.
 */
export function changedPurchase(purchase: Purchase, entered: Entered): Changes {
  const { reference = '', amount, includes_vat, date, quote_id, purchase_order_id } = entered;
  const isOtherDay = date !== null && date.slice(0, 10) !== purchase.date.slice(0, 10);
  const links = { quote_id, ...(purchase.kind === 'goods_receipt' && { purchase_order_id }) };
  const wanted: Changes = { reference, amount, includes_vat, ...links, ...(isOtherDay && { date }) };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => purchase[name as keyof Changes] !== value),
  );
}

/** The changes that undo these changes. */
export function formerPurchaseValues(purchase: Purchase, changes: Changes): Changes {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, purchase[name as keyof Changes]]));
}
