import type { TsSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { allPages, pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { optional } from '../../api/query.ts';
import type { ExportFormat } from '../../components/data-display/export-buttons.tsx';

export type Entry = TsSchemas['AuditEntry'];
/** `since` and `until` are moments. */
export type Filter = { action?: Entry['action'][]; user_id?: string; since?: string; until?: string };

/** The entries of the audit log, newest first. */
export function useAudit(filter: Filter) {
  return usePages<Entry>({
    key: ['audit', filter],
    read: (cursor, signal) =>
      pageOf(ts.GET('/audit', { params: { query: { ...pageQuery(cursor), ...filter } }, signal })),
  });
}

/** The entries as a file. */
export function readSheet(filter: Filter, format: ExportFormat): Promise<Blob> {
  return call(ts.GET('/audit/export', { params: { query: { ...filter, ...format } }, parseAs: 'blob' }));
}

/** The users of the company, to filter by. */
export function usePeople() {
  return useQuery({
    queryKey: ['users', 'all'],
    queryFn: ({ signal }) =>
      allPages((cursor) => pageOf(ts.GET('/company/users', { params: { query: pageQuery(cursor, 200) }, signal }))),
    staleTime: 60_000,
    ...optional,
  });
}
