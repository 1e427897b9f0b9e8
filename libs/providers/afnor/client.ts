import { createProviderHttp, type ProviderHttp, parseJson } from '../http-client.ts';
import { record, text } from '../json.ts';
import type { ClientOptions, FetchedInvoice, ProviderClient } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { listChanged } from './changes.ts';
import { sendFeedback } from './feedback.ts';

/** The client of the flow service that every approved French platform offers (XP Z12-013; domain.md 2.4). */
export function connectAfnor(options: ClientOptions): ProviderClient {
  const http = createProviderHttp(options);
  const { reader, owner } = options;
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice(http, externalId, signal),
    listChanged: (since, cursor, signal) => listChanged({ http, signal }, since, cursor),
    sendFeedback: (feedback, signal) => sendFeedback({ http, reader, owner, now: new Date(), signal }, feedback),
  };
}

const extensions: Record<string, string> = { 'Factur-X': 'pdf' };

/** `raw` is the flow as the platform describes it; what the supplier sent, UBL, CII or Factur-X, is the document. */
async function fetchInvoice(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const path = ['flows', id];
  const raw = await http.bytes({ path, query: { docType: 'Metadata' }, signal });
  const flow = record(parseJson(raw));
  // A life-cycle message or an invoice of our own has a flow as well; its id is no incoming invoice's.
  if (flow['flowType'] !== 'SupplierInvoice' || flow['flowDirection'] !== 'In') {
    throw new ProviderError('not_found', 'the provider has a flow with this id, which is no incoming supplier invoice');
  }
  const name = `${text(flow['flowId']) ?? id}.${extensions[text(flow['flowSyntax']) ?? ''] ?? 'xml'}`;
  const document = await http.document({ path, query: { docType: 'Original' }, signal }, name);
  return { raw, document };
}
