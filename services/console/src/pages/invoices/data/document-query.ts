import { queryOptions } from '@tanstack/react-query';
import { call, ts } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { Invoice } from '../rules/invoice.ts';

type LoadedDocument = { mime: string; bytes: ArrayBuffer };

/** A link to the file, valid for some minutes. */
export async function documentLink(id: string): Promise<string> {
  return (await call(ts.GET('/invoices/{id}/document', { params: { path: { id } } }))).download_url;
}

async function readDocument(id: string, signal: AbortSignal): Promise<LoadedDocument> {
  const url = await documentLink(id);
  const response = await fetch(url, { signal }).catch((reason: unknown) => {
    if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
    throw new ApiError('no answer', { status: 0, code: 'no_answer' });
  });
  if (!response.ok) throw new ApiError(`HTTP ${response.status}`, { status: response.status, code: 'document_failed' });
  return { mime: response.headers.get('content-type') ?? '', bytes: await response.arrayBuffer() };
}

/** The key has the hash of the file, whose content never changes: it is read once. */
export function documentQuery({ id, document }: Pick<Invoice, 'id' | 'document'>) {
  return queryOptions({
    queryKey: ['invoices', 'document', id, document?.hash ?? ''],
    queryFn: ({ signal }) => readDocument(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    structuralSharing: false,
  });
}
