import { queryOptions } from '@tanstack/react-query';
import { call, ts } from '../../../api/client.ts';
import { readFile } from '../../../api/file.ts';
import type { Invoice } from '../rules/invoice.ts';

/** A link to the file, valid for some minutes. */
export async function documentLink(id: string): Promise<string> {
  return (await call(ts.GET('/invoices/{id}/document', { params: { path: { id } } }))).download_url;
}

/** The key has the hash of the file, whose content never changes: it is read once. */
export function documentQuery({ id, document }: Pick<Invoice, 'id' | 'document'>) {
  return queryOptions({
    queryKey: ['invoices', 'document', id, document?.hash ?? ''],
    queryFn: async ({ signal }) => readFile(await documentLink(id), signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    structuralSharing: false,
  });
}
