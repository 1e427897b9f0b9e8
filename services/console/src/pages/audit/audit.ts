import type { TsSchemas } from '@app/api-client';
import { ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';

export type Entry = TsSchemas['AuditEntry'];
/** `since` and `until` are days in the user's time zone. */
export type Filter = { action?: string; since?: string; until?: string };
type Query = NonNullable<Parameters<typeof ts.GET<'/audit', object>>[1]>;

/** The entries of the audit log, newest first. */
export function useAudit(filter: Filter) {
  return usePages<Entry>({
    key: ['audit', filter],
    read: (cursor, signal) => {
      const query = { ...pageQuery(cursor), ...filter };
      return pageOf(ts.GET('/audit', { params: { query }, signal } as Query));
    },
  });
}
