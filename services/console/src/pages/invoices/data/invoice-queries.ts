import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, ts } from '../../../api/client.ts';
import { type Page, pageOf, pageQuery, usePages } from '../../../api/pages.ts';
import { optional, queryClient, whileVisible } from '../../../api/query.ts';
import type { ExportFormat } from '../../../components/data-display/export-buttons.tsx';
import { externalValue, useExternalValue } from '../../../settings/external-value.ts';
import {
  type Counts,
  type Invoice,
  type List,
  type ListedInvoice,
  waitingStates,
  waitsForMatching,
} from '../rules/invoice.ts';
import { type InvoiceFilter, searchQuery } from '../rules/invoice-filter.ts';
import { documentQuery } from './document-query.ts';

export const keys = {
  all: ['invoices'] as const,
  lists: ['invoices', 'list'] as const,
  list: (list: List, search: string, filter: InvoiceFilter) => ['invoices', 'list', list, search, filter] as const,
  counts: ['invoices', 'counts'] as const,
  one: (id: string) => ['invoices', 'one', id] as const,
};

/** Invoices that an action is about to take from the lists: hidden there until it has ended. */
export const leaving = externalValue<ReadonlySet<string>>(new Set());

type Reading = { list: List; search: string; filter: InvoiceFilter };

function readList(
  { list, search, filter }: Reading,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<ListedInvoice>> {
  const query = pageQuery(cursor);
  if (list === 'queue') return pageOf(ts.GET('/invoices', { params: { query }, signal }));
  if (list === 'review') return pageOf(ts.GET('/invoices/in-review', { params: { query }, signal }));
  const params = { query: { ...query, ...searchQuery(search, filter) } };
  return pageOf(ts.GET('/invoices/search', { params, signal }));
}

/**
 * The lists of work are oldest first, so that new invoices come at the end and nothing jumps; the list of all is
 * newest first, unless the user sorts it.
 */
export function useInvoices(list: List, q: string, wanted: InvoiceFilter) {
  const [search, filter] = list === 'all' ? [q, wanted] : ['', {}];
  const read = (cursor: string | undefined, signal: AbortSignal) => readList({ list, search, filter }, cursor, signal);
  const gone = useExternalValue(leaving);
  const pages = usePages({ key: keys.list(list, search, filter), read, ...whileVisible });
  return { ...pages, items: list === 'all' ? pages.items : pages.items.filter(({ id }) => !gone.has(id)) };
}

/** What the found invoices add up to, by currency. */
export function useTotals(search: string, filter: InvoiceFilter) {
  const { sort: _, order: __, ...query } = searchQuery(search, filter);
  return useQuery({
    queryKey: [...keys.lists, 'totals', query],
    queryFn: async ({ signal }) => (await call(ts.GET('/invoices/totals', { params: { query }, signal }))).items,
    ...optional,
  });
}

/** The found invoices as a file. */
export function readSheet(search: string, filter: InvoiceFilter, format: ExportFormat): Promise<Blob> {
  const query = { ...searchQuery(search, filter), ...format };
  return call(ts.GET('/invoices/export', { params: { query }, parseAs: 'blob' }));
}

/** The invoices that wait in a list of the bench, as a file. */
export function readWaiting(list: 'queue' | 'review', format: ExportFormat): Promise<Blob> {
  const query = { state: waitingStates[list], ...format };
  return call(ts.GET('/invoices/export', { params: { query }, parseAs: 'blob' }));
}

export function useCounts({ isOn = true }: { isOn?: boolean } = {}) {
  return useQuery({
    queryKey: keys.counts,
    queryFn: async ({ signal }) => (await call(ts.GET('/invoices/counts', { signal }))).state as Counts,
    enabled: isOn,
    ...whileVisible,
    ...optional,
  });
}

/** Until when an invoice is polled, because it is being processed. */
const watched = new Map<string, number>();
const watchMs = 45_000;
const watchEveryMs = 3_000;

export function watch(id: string): void {
  watched.set(id, Date.now() + watchMs);
}

function isWatched(id: string): boolean {
  return (watched.get(id) ?? 0) > Date.now();
}

/** Whether matching still looks for tickets, of an invoice that somebody here sent back to it. */
export function isLooking(invoice: Invoice): boolean {
  return waitsForMatching(invoice) && isWatched(invoice.id);
}

export function invoiceQuery(id: string) {
  return queryOptions({
    queryKey: keys.one(id),
    queryFn: ({ signal }) => call(ts.GET('/invoices/{id}', { params: { path: { id } }, signal })),
  });
}

/** The invoice and its version, for `If-Match`. */
export async function readVersioned(id: string): Promise<{ invoice: Invoice; version: string }> {
  let version = '';
  const noted = ts.GET('/invoices/{id}', { params: { path: { id } } }).then((answer) => {
    version = answer.response.headers.get('etag') ?? '';
    return answer;
  });
  return { invoice: await call(noted), version };
}

export function useInvoice(id: string) {
  const query = useQuery({
    ...invoiceQuery(id),
    refetchInterval: ({ state: { data } }) =>
      data && isWatched(id) && (data.suggestions.length === 0 || data.state !== 'ticket_unmatched')
        ? watchEveryMs
        : 30_000,
  });
  const waits = query.data?.state === 'ticket_unmatched' && query.data.rematchAt !== null;
  useEffect(() => {
    // Also if another page cleared its review: a rematch that is due soon is waited for.
    if (waits && !watched.has(id)) watch(id);
  }, [id, waits]);
  return query;
}

/** Prefetches the next invoices, so that stepping to them takes no time. */
export function usePrefetch(ids: readonly (string | null)[]): void {
  const wanted = ids.flatMap((id) => id ?? []).join();
  useEffect(() => {
    if (wanted === '') return;
    const ahead = async (id: string, withDocument: boolean) => {
      await queryClient.prefetchQuery(invoiceQuery(id));
      const invoice = queryClient.getQueryData<Invoice>(keys.one(id));
      if (withDocument && invoice?.document) await queryClient.prefetchQuery(documentQuery(invoice));
    };
    for (const [index, id] of wanted.split(',').entries()) void ahead(id, index === 0);
  }, [wanted]);
}

const maxChoices = 5;
const minScore = 30;

/** The best tickets for an invoice that went to review before matching looked at tickets. */
export function useBestTickets(id: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['invoices', 'best tickets', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: maxChoices } };
      const { items } = await call(ts.GET('/invoices/{id}/candidates', { params, signal }));
      return items.filter(({ score }) => score >= minScore);
    },
    enabled: isWanted,
    staleTime: 30_000,
    ...optional,
  });
}

/**
 * What speaks for and against a ticket that a person chose; null until it is known. Without a
 * ticket nothing is requested.
 */
export function useSignalsOf({ id }: Pick<Invoice, 'id'>, ticket: { ticketId: string; number: string } | null) {
  const { data } = useQuery({
    queryKey: ['invoices', 'signals', id, ticket?.ticketId],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { q: ticket?.number ?? '', limit: maxChoices } };
      const { items } = await call(ts.GET('/invoices/{id}/candidates', { params, signal }));
      return items.find(({ ticketId }) => ticketId === ticket?.ticketId)?.signals ?? null;
    },
    enabled: ticket !== null,
    staleTime: 30_000,
    ...optional,
  });
  return data ?? null;
}

const maxFound = 20;

/** Invoices by their number or supplier, in any state. */
export function useFoundInvoices(text: string) {
  return useQuery({
    queryKey: ['invoices', 'found', text],
    queryFn: async ({ signal }) => {
      const params = { query: { q: text, limit: maxFound } };
      return (await call(ts.GET('/invoices/search', { params, signal }))).items;
    },
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
    ...optional,
  });
}

export function useFoundTickets(id: string, text: string) {
  return useQuery({
    queryKey: ['invoices', 'found tickets', id, text],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { q: text, limit: maxFound } };
      const { items } = await call(ts.GET('/invoices/{id}/candidates', { params, signal }));
      return { items, isMore: items.length === maxFound };
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
