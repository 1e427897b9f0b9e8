import { allStatuses } from '@app/contracts';
import { createProviderHttp, type ProviderHttp, parseJson } from '../http/http-client.ts';
import { record, text } from '../parsing/json.ts';
import type { ClientOptions, FetchedInvoice, Provider, ProviderClient } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { verifySignature } from '../signature.ts';
import { listChanged } from './changes.ts';
import { sendFeedback } from './feedback.ts';
import { flowDocument } from './flow-document.ts';

/**
 * The flow service that every approved French platform offers (XP Z12-013).
 * @param key `afnor`, or `afnor-<name>` for a further platform
 */
export function afnorPlatform(key: string): Provider {
  const operator = key.slice('afnor-'.length);
  return {
    key,
    name: operator === '' ? 'AFNOR XP Z12-013' : `AFNOR XP Z12-013 (${operator})`,
    capabilities: { statuses: allStatuses, reversal: false, poll: true, webhook: true },
    connect: connectAfnor,
    verifySignature,
    format: 'afnor',
  };
}

export const afnor: Provider = afnorPlatform('afnor');

function connectAfnor(options: ClientOptions): ProviderClient {
  const http = createProviderHttp(options);
  const { reader, owner } = options;
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice(http, externalId, signal),
    listChanged: (since, cursor, signal) => listChanged({ http, signal }, since, cursor),
    sendFeedback: (feedback, signal) => sendFeedback({ http, reader, owner, now: new Date(), signal }, feedback),
  };
}

const extensions: Record<string, string> = { 'Factur-X': 'pdf' };

/** `raw` is the platform's description of the flow; the document is the invoice: UBL, CII or Factur-X. */
async function fetchInvoice(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const raw = await http.bytes({ path: ['flows', id], query: { docType: 'Metadata' }, signal });
  const flow = record(parseJson(raw));
  const type = text(flow['flowType']) ?? 'Undefined';
  const isRefused = record(flow['acknowledgement'])['status'] === 'Error';
  if (type === 'Undefined' && !isRefused) {
    throw new ProviderError('transient', 'the provider does not know yet what this flow is');
  }
  // Life-cycle messages and invoices that the company issued are flows too.
  if (type !== 'SupplierInvoice' || flow['flowDirection'] !== 'In') {
    const message = 'the provider has a flow with this id, which is no incoming supplier invoice';
    throw new ProviderError('not_found', message, { code: 'no_invoice' });
  }
  const name = `${text(flow['flowId']) ?? id}.${extensions[text(flow['flowSyntax']) ?? ''] ?? 'xml'}`;
  return { raw, document: await flowDocument(http, { id, name, signal }) };
}
