import type { TicketSchemas } from '@app/api-client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, tickets } from '../../api/client.ts';
import { pageQuery, usePages } from '../../api/pages.ts';

export type Contractor = TicketSchemas['Contractor'];
export type ContractorInput = {
  name: string;
  type: 'external' | 'internal';
  siret: string | null;
  email: string | null;
  phone: string | null;
  company_id?: string;
};

const contractorsKey = ['contractors'];

export function useContractors() {
  return usePages({
    key: contractorsKey,
    read: async (cursor, signal) => {
      const page = await call(
        tickets.GET('/api/v3.0/contractors', { params: { query: pageQuery(cursor, 200) }, signal }),
      );
      return { items: page.contractors, next: page.cursor };
    },
  });
}

/** Adds a contractor, or changes the one with the given id. */
export function useSaveContractor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: ContractorInput & { id: string | undefined }) =>
      id === undefined
        ? call(tickets.POST('/api/v3.0/contractors', { body }))
        : call(
            tickets.PATCH('/api/v3.0/contractors/{contractor_id}', { params: { path: { contractor_id: id } }, body }),
          ),
    onSuccess: () => client.invalidateQueries({ queryKey: contractorsKey }),
  });
}
