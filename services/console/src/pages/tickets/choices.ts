import type { TicketSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { call, tickets } from '../../api/client.ts';
import { allPages, pageQuery } from '../../api/pages.ts';
import { optional } from '../../api/query.ts';

export type Contractor = TicketSchemas['Contractor'];
export type CustomField = TicketSchemas['CustomField'];
type Person = TicketSchemas['Person'];
type Named = { _id: string; name: string | null };
type Reading = { isOn?: boolean };

/**
 * Reads all of what a ticket may refer to, for choices. Only client companies have such things, apart from users; `useClients` is
 * for contractors.
 */
const choicesOf =
  <Item>(name: keyof typeof paths) =>
  ({ isOn = true }: Reading = {}) =>
    useQuery({
      queryKey: [name === 'users' ? 'people' : name, 'all'],
      queryFn: ({ signal }) =>
        allPages(async (cursor) => {
          const page = await call(tickets.GET(paths[name], { params: { query: pageQuery(cursor, limit) }, signal }));
          return { items: (page as unknown as Record<string, Item[]>)[name] ?? [], next: page.cursor };
        }),
      staleTime: 60_000,
      enabled: isOn,
      ...optional,
    });

/** By the name of the items in the answer. */
const paths = {
  contractors: '/api/v3.0/contractors',
  locations: '/api/v3.0/locations',
  equipments: '/api/v3.0/equipments',
  jobs: '/api/v3.0/jobs',
  domains: '/api/v3.0/domains',
  custom_fields: '/api/v3.0/custom-fields',
  users: '/api/v3.0/users',
  clients: '/api/v3.0/clients',
} as const;
const limit = 200;

export const useContractors = choicesOf<Contractor>('contractors');
export const useLocations = choicesOf<Named>('locations');
export const useEquipments = choicesOf<Named>('equipments');
export const useJobs = choicesOf<Named>('jobs');
export const useDomains = choicesOf<Named>('domains');
export const useCustomFields = choicesOf<CustomField>('custom_fields');
/** The users of one's own company, who manage tickets or answer for them. */
export const useUsers = choicesOf<Person>('users');
/** The clients for whom a contractor creates tickets. */
export const useClients = choicesOf<Named>('clients');

/** What a lookup offers; undefined until it is loaded. */
export function optionsOf(all?: Named[]): { id: string; text: string }[] | undefined {
  return all?.map(({ _id, name }) => ({ id: _id, text: name ?? _id }));
}

export function fullName({ firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ') || (email ?? '');
}
