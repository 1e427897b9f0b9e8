import { isDay } from '../../../routing/days.ts';
import { isAmount, isId } from '../../../routing/url-state.ts';
import { areGroups, invoiceFigures } from '../../../words/figure-words.ts';
import type { Invoice } from './invoice.ts';

/** Why an invoice waits for review, as the list filters by it. */
export const reviewReasons = [
  'duplicate_suspected',
  'amounts_inconsistent',
  'iban_changed',
  'provider_status',
  'changed_after_link',
  'document_hash_mismatch',
  'supplier_is_client',
  'ticket_gone',
  'credits_refused',
  'several_parties',
] as const;

/** The columns that the list of all invoices sorts by. */
export const sortColumns = ['createdAt', 'issueDate', 'dueDate', 'amount', 'number', 'supplierName', 'state'] as const;

export const days = ['issuedFrom', 'issuedTo', 'dueFrom', 'dueTo', 'countedFrom', 'countedTo'] as const;
export const amounts = ['amountFrom', 'amountTo'] as const;
const isShort = (value: string) => value.length > 0 && value.length <= 100;

/** The filters of the list of all invoices, as its address has them. */
export const filterValues = {
  state: (value: string) => /^[a-z_]{1,30}$/.test(value),
  reason: reviewReasons,
  countedIn: Object.keys(invoiceFigures),
  countedOf: areGroups,
  supplier: isId,
  currency: (value: string) => /^[A-Z]{3}$/.test(value),
  place: isId,
  ticket: isId,
  purchaseOrder: isShort,
  ...(Object.fromEntries(days.map((name) => [name, isDay])) as Record<(typeof days)[number], typeof isDay>),
  ...(Object.fromEntries(amounts.map((name) => [name, isAmount])) as Record<(typeof amounts)[number], typeof isAmount>),
  sort: sortColumns,
  order: ['asc', 'desc'],
} as const;

export type FilterName = keyof typeof filterValues;
export type InvoiceFilter = { [Name in FilterName]?: string };

export const filterNames = Object.keys(filterValues) as FilterName[];

/** Those of the values that filter and sort. */
export function filterIn(values: { [Name in FilterName]?: string | undefined }): InvoiceFilter {
  return Object.fromEntries(filterNames.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

/** The query of the API. */
export function searchQuery(search: string, { sort, order, ...filter }: InvoiceFilter) {
  const { state, reason, countedIn, amountFrom, amountTo, ...texts } = filter;
  return {
    ...(search === '' ? {} : { q: search }),
    ...texts,
    ...(state && { state: [state as Invoice['state']] }),
    ...(reason && { reason: [reason as (typeof reviewReasons)[number]] }),
    ...(countedIn && { countedIn: countedIn as 'payable' }),
    ...(amountFrom && { amountFrom: Number(amountFrom) }),
    ...(amountTo && { amountTo: Number(amountTo) }),
    ...(sort && { sort: sort as (typeof sortColumns)[number] }),
    ...(order && { order: order as 'asc' | 'desc' }),
  };
}
