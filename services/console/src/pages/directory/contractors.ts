import type { TicketSchemas } from '@app/api-client';
import { call, tickets } from '../../api/client.ts';
import { pageQuery, usePages } from '../../api/pages.ts';
import { useChange } from '../../api/query.ts';
import type { ExportFormat } from '../../components/data-display/export-buttons.tsx';
import { anyText } from '../../routing/url-state.ts';

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

export const contractorFilters = {
  q: anyText,
  type: ['external', 'internal'],
  sort: ['name', 'type', 'siret', 'email'],
  order: ['asc', 'desc'],
} as const;
type Sort = (typeof contractorFilters.sort)[number];
export type ContractorFilter = { q?: string; type?: Contractor['type']; sort?: Sort; order?: 'asc' | 'desc' };

function queryOf({ type, ...given }: ContractorFilter) {
  return { ...given, ...(type && { type: [type] }) };
}

export function useContractors(filter: ContractorFilter) {
  const query = queryOf(filter);
  return usePages({
    key: [...contractorsKey, query],
    read: async (cursor, signal) => {
      const params = { query: { ...pageQuery(cursor), ...query } };
      const page = await call(tickets.GET('/api/v3.0/contractors', { params, signal }));
      return { items: page.contractors, next: page.cursor };
    },
  });
}

/** The directory as a file. */
export function readSheet(filter: ContractorFilter, format: ExportFormat): Promise<Blob> {
  const params = { query: { ...queryOf(filter), ...format } };
  return call(tickets.GET('/api/v3.0/contractors/export', { params, parseAs: 'blob' }));
}

/** Adds a contractor, or changes the one with the given id. */
export function useSaveContractor() {
  return useChange(contractorsKey, ({ id, ...body }: ContractorInput & { id: string | undefined }) =>
    id === undefined
      ? call(tickets.POST('/api/v3.0/contractors', { body }))
      : call(tickets.PATCH('/api/v3.0/contractors/{contractor_id}', { params: { path: { contractor_id: id } }, body })),
  );
}
