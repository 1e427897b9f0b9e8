import type { ProviderHttp } from '../http/http-client.ts';
import type { ProviderDocument } from '../provider.ts';
import { ProviderError, partOf } from '../provider-error.ts';

type Wanted = { id: string; name: string; signal: AbortSignal | undefined };

const headers = { accept: 'application/octet-stream' };

/**
 * The document of a flow as the supplier sent it or, on a platform that does not keep that, as the platform converted it.
 * @throws ProviderError transient if it has neither, although it has the flow
 */
export async function flowDocument(http: ProviderHttp, { id, name, signal }: Wanted): Promise<ProviderDocument> {
  const call = (docType: string) => http.document({ path: ['flows', id], query: { docType }, headers, signal }, name);
  try {
    return await call('Original');
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
    return partOf(call('Converted'));
  }
}
