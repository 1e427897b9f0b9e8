import type { TicketSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call, tickets, ts } from '../../api/client.ts';
import { allPages, usePages } from '../../api/pages.ts';
import { optional, queryClient, whileVisible } from '../../api/query.ts';
import { isSearch } from '../../api/search-text.ts';
import type { ExportFormat } from '../../components/data-display/export-buttons.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import type { Lists } from './edit/draft.ts';
import { type Filter, listQuery, type Party, type Ticket } from './list-query.ts';

export type Note = TicketSchemas['Note'];
export type TicketDate = TicketSchemas['TicketDate'];
export type HistoryItem = TicketSchemas['TicketHistoryItem'];
export type TicketDocument = TicketSchemas['Document'];

const all = ['tickets'] as const;
/** Of all that is read again after any change of a ticket. */
export const listKey = [...all, 'list'] as const;
const ticketKey = (id: string) => [...all, 'one', id] as const;
export const pathOf = (ticket_id: string) => ({ params: { path: { ticket_id } } });

/**
 * Combined filters can give empty pages although more follow: up to this many empty pages are
 * skipped at once.
 */
const maxEmptyPages = 10;

export function useTickets(filter: Filter, options: { enabled?: boolean; staleTime?: number } = {}) {
  const { company } = useSession();
  const { timeZone } = useLocale();
  const query = listQuery(filter, company.kind, timeZone);
  const isTaken = filter.q === undefined || isSearch(filter.q);
  return usePages<Ticket>({
    key: [...listKey, query],
    read: async (from, signal) => {
      let cursor = from;
      for (let page = 1; ; page += 1) {
        const paged = { limit: 50, ...query, ...(cursor !== undefined && { cursor }) };
        const found = await call(tickets.GET('/api/v3.0/tickets', { params: { query: paged }, signal }));
        if (found.tickets.length > 0 || found.cursor === null || page === maxEmptyPages)
          return { items: found.tickets, next: found.cursor };
        cursor = found.cursor;
      }
    },
    ...(options.staleTime === undefined && whileVisible),
    ...options,
    enabled: isTaken && options.enabled !== false,
  });
}

type SheetOf = ExportFormat & { party: Party; timeZone: string };

/** The tickets of the list as a file. */
export function readSheet(filter: Filter, { party, timeZone, ...format }: SheetOf): Promise<Blob> {
  const query = { ...listQuery(filter, party, timeZone), ...format };
  return call(tickets.GET('/api/v3.0/tickets/export', { params: { query }, parseAs: 'blob' }));
}

/** `limit` of the answer: a count that reaches it means that many or more. */
export function useCounts({ isOn = true }: { isOn?: boolean } = {}) {
  return useQuery({
    queryKey: [...listKey, 'counts'],
    queryFn: ({ signal }) => call(tickets.GET('/api/v3.0/tickets/counts', { signal })),
    enabled: isOn,
    ...whileVisible,
    ...optional,
  });
}

export function useTicket(id: string) {
  return useQuery({
    queryKey: ticketKey(id),
    queryFn: ({ signal }) => call(tickets.GET('/api/v3.0/tickets/{ticket_id}', { ...pathOf(id), signal })),
    ...whileVisible,
  });
}

/** What its amount is: with VAT or without. */
export function basisOf({ includes_vat: withVat }: { includes_vat: boolean }): 'TTC' | 'HT' {
  return withVat ? 'TTC' : 'HT';
}

export function useDates(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'dates'],
    queryFn: async ({ signal }) => {
      const found = await call(tickets.GET('/api/v3.0/tickets/{ticket_id}/dates', { ...pathOf(id), signal }));
      return inOrderOfTime(found);
    },
    ...whileVisible,
  });
}

function inOrderOfTime(found: { visit_dates: TicketDate[]; intervention_dates: TicketDate[] }): TicketDate[] {
  const dates = [...found.visit_dates, ...found.intervention_dates];
  return dates.sort((one, other) => one.start.localeCompare(other.start));
}

/** The ticket as accounting reads it. */
export function useReadOnlyTicket(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'read only'],
    queryFn: async ({ signal }) => {
      const found = await call(ts.GET('/invoice-tickets/{ticket_id}', { ...pathOf(id), signal }));
      return { ticket: found.ticket, files: found.files, dates: inOrderOfTime(found) };
    },
    ...whileVisible,
  });
}

export function useNotes(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'notes'],
    queryFn: async ({ signal }) =>
      (await call(tickets.GET('/api/v3.0/tickets/{ticket_id}/notes', { ...pathOf(id), signal }))).notes,
    ...whileVisible,
  });
}

export function useHistory(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'history'],
    queryFn: ({ signal }) => readHistory(id, signal),
    ...whileVisible,
  });
}

export function readHistory(id: string, signal?: AbortSignal): Promise<HistoryItem[]> {
  return allPages<HistoryItem>(async (cursor) => {
    const params = { path: { ticket_id: id }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } };
    const request = tickets.GET('/api/v3.0/tickets/{ticket_id}/history', { params, ...(signal && { signal }) });
    const found = await call(request);
    return { items: found.items, next: found.cursor };
  });
}

export function useDocuments(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'documents'],
    queryFn: ({ signal }) =>
      allPages<TicketDocument>(async (cursor) => {
        const params = { path: { ticket_id: id }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } };
        const found = await call(tickets.GET('/api/v3.0/tickets/{ticket_id}/documents', { params, signal }));
        return { items: found.documents, next: found.cursor };
      }),
    ...whileVisible,
  });
}

/** Reads the ticket with all its parts, and the lists, again: to be called after a change, done or refused. */
export function refreshTicket(id: string): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ticketKey(id) }),
    queryClient.invalidateQueries({ queryKey: listKey }),
  ]);
}

export type NewTicket = {
  title: string;
  /** Sent by contractors alone. */
  client_id?: string;
  description?: string;
  priority?: Ticket['priority_label'];
  price_threshold?: number;
} & Partial<Lists>;

export function useCreateTicket() {
  return useMutation({
    mutationFn: async (body: NewTicket) => (await call(tickets.POST('/api/v3.0/tickets', { body }))).ticket_id,
    onSettled: () => queryClient.invalidateQueries({ queryKey: listKey }),
  });
}
