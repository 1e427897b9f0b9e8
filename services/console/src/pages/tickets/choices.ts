import type { TicketSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { call, tickets } from '../../api/client.ts';
import { allPages, type Page, pageQuery } from '../../api/pages.ts';
import { optional } from '../../api/query.ts';

export type Contractor = TicketSchemas['Contractor'];
export type CustomField = TicketSchemas['CustomField'];
type Person = TicketSchemas['Person'];
type Named = { _id: string; name: string | null };

/**
 * Reads a page of what a ticket may refer to; all pages are read, for choices. Only client
 * companies have such things, apart from users; `useClients` is for contractors.
 */
type Source<Item> = (query: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>;
type Reading = { isOn?: boolean };

const base = '/api/v3.0';
const limit = 200;

function useAll<Item>(name: string, read: Source<Item>, { isOn = true }: Reading) {
  return useQuery({
    queryKey: [name, 'all'],
    queryFn: ({ signal }) => allPages((cursor) => read(pageQuery(cursor, limit), signal)),
    staleTime: 60_000,
    enabled: isOn,
    ...optional,
  });
}

export function useContractors(reading: Reading = {}) {
  const read: Source<Contractor> = async (query, signal) => {
    const { contractors, cursor } = await call(tickets.GET(`${base}/contractors`, { params: { query }, signal }));
    return { items: contractors, next: cursor };
  };
  return useAll('contractors', read, reading);
}

export function useLocations(reading: Reading = {}) {
  const read: Source<Named> = async (query, signal) => {
    const { locations, cursor } = await call(tickets.GET(`${base}/locations`, { params: { query }, signal }));
    return { items: locations, next: cursor };
  };
  return useAll('locations', read, reading);
}

export function useEquipments(reading: Reading = {}) {
  const read: Source<Named> = async (query, signal) => {
    const { equipments, cursor } = await call(tickets.GET(`${base}/equipments`, { params: { query }, signal }));
    return { items: equipments, next: cursor };
  };
  return useAll('equipments', read, reading);
}

export function useJobs(reading: Reading = {}) {
  const read: Source<Named> = async (query, signal) => {
    const { jobs, cursor } = await call(tickets.GET(`${base}/jobs`, { params: { query }, signal }));
    return { items: jobs, next: cursor };
  };
  return useAll('jobs', read, reading);
}

export function useDomains(reading: Reading = {}) {
  const read: Source<Named> = async (query, signal) => {
    const { domains, cursor } = await call(tickets.GET(`${base}/domains`, { params: { query }, signal }));
    return { items: domains, next: cursor };
  };
  return useAll('domains', read, reading);
}

/** The custom fields that tickets have. */
export function useCustomFields(reading: Reading = {}) {
  const read: Source<CustomField> = async (query, signal) => {
    const page = await call(tickets.GET(`${base}/custom-fields`, { params: { query }, signal }));
    return { items: page.custom_fields.filter(({ target }) => target !== 'contractor'), next: page.cursor };
  };
  return useAll('custom-fields', read, reading);
}

/** The users of one's own company, who manage tickets or answer for them. */
export function useUsers(reading: Reading = {}) {
  const read: Source<Person> = async (query, signal) => {
    const { users, cursor } = await call(tickets.GET(`${base}/users`, { params: { query }, signal }));
    return { items: users, next: cursor };
  };
  return useAll('people', read, reading);
}

/** The clients for whom a contractor creates tickets. */
export function useClients(reading: Reading = {}) {
  const read: Source<Named> = async (query, signal) => {
    const { clients, cursor } = await call(tickets.GET(`${base}/clients`, { params: { query }, signal }));
    return { items: clients, next: cursor };
  };
  return useAll('clients', read, reading);
}

/** What a lookup offers; undefined until it is loaded. */
export function optionsOf(all?: Named[]): { id: string; text: string }[] | undefined {
  return all?.map(({ _id, name }) => ({ id: _id, text: name ?? _id }));
}

export function fullName({ firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ') || (email ?? '');
}
