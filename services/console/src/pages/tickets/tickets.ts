import type { TicketSchemas } from '@app/api-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, tickets } from '../../api/client.ts';
import { type Page, usePages } from '../../api/pages.ts';
import { aside, whileVisible } from '../../api/query.ts';
import { useSession } from '../../session/session.ts';
import { type Filter, listQuery, type Ticket } from './list/views.ts';

export type Note = TicketSchemas['Note'];
export type TicketDate = TicketSchemas['TicketDate'];
export type HistoryItem = TicketSchemas['TicketHistoryItem'];
export type TicketDocument = TicketSchemas['Document'];
export type Contractor = TicketSchemas['Contractor'];

const all = ['tickets'] as const;
const listKey = [...all, 'list'] as const;
export const ticketKey = (id: string) => [...all, 'one', id] as const;
export const pathOf = (ticket_id: string) => ({ params: { path: { ticket_id } } });

/** Pages that hold nothing while there is more: filters that combine leave such. */
const maxEmptyPages = 10;
const maxPages = 20;

export function useTickets(filter: Filter) {
  const { company } = useSession();
  const query = listQuery(filter, company.kind);
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
    ...whileVisible,
  });
}

export function useCounts() {
  return useQuery({
    queryKey: [...listKey, 'counts'],
    queryFn: async ({ signal }) => (await call(tickets.GET('/api/v3.0/tickets/counts', { signal }))).status,
    ...whileVisible,
    ...aside,
  });
}

export function useTicket(id: string) {
  return useQuery({
    queryKey: ticketKey(id),
    queryFn: ({ signal }) => call(tickets.GET('/api/v3.0/tickets/{ticket_id}', { ...pathOf(id), signal })),
    ...whileVisible,
  });
}

export function useDates(id: string) {
  return useQuery({
    queryKey: [...ticketKey(id), 'dates'],
    queryFn: async ({ signal }) => {
      const found = await call(tickets.GET('/api/v3.0/tickets/{ticket_id}/dates', { ...pathOf(id), signal }));
      const dates = [...found.visit_dates, ...found.intervention_dates];
      return dates.sort((one, other) => one.start.localeCompare(other.start));
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
    queryFn: ({ signal }) =>
      allPages<HistoryItem>(async (cursor) => {
        const params = { path: { ticket_id: id }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } };
        const found = await call(tickets.GET('/api/v3.0/tickets/{ticket_id}/history', { params, signal }));
        return { items: found.items, next: found.cursor };
      }),
    ...whileVisible,
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

/** The directory, for choices; a client's alone. */
export function useContractors() {
  return useQuery({
    queryKey: ['contractors', 'all'],
    queryFn: ({ signal }) =>
      allPages<Contractor>(async (cursor) => {
        const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
        const found = await call(tickets.GET('/api/v3.0/contractors', { params: { query }, signal }));
        return { items: found.contractors, next: found.cursor };
      }),
    staleTime: 60_000,
  });
}

export function useLocations() {
  return useQuery({
    queryKey: ['locations', 'all'],
    queryFn: ({ signal }) =>
      allPages<{ _id: string; name: string | null }>(async (cursor) => {
        const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
        const found = await call(tickets.GET('/api/v3.0/locations', { params: { query }, signal }));
        return { items: found.locations, next: found.cursor };
      }),
    staleTime: 60_000,
    ...aside,
  });
}

/** The first few thousand of a list that is shown as a whole. */
async function allPages<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const found = await read(cursor);
    items.push(...found.items);
    if (found.next === null) break;
    cursor = found.next;
  }
  return items;
}

/** After a change, done or refused: the ticket with all that belongs to it, and the lists, are read anew. */
export function useRefresh(id: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ticketKey(id) }),
      client.invalidateQueries({ queryKey: listKey }),
    ]);
}

export type NewTicket = {
  title: string;
  description?: string;
  priority?: Ticket['priority_label'];
  location_ids?: string[];
};

export function useCreateTicket() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewTicket) => (await call(tickets.POST('/api/v3.0/tickets', { body }))).ticket_id,
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  });
}
