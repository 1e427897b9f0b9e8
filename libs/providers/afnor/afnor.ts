import { randomUUID } from 'node:crypto';
import { createProviderHttp, type ProviderHttp, parseJson } from '../http/http-client.ts';
import { record, text } from '../parsing/json.ts';
import type { ClientOptions, FetchedInvoice, Provider, ProviderClient } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { verifySignature } from '../signature.ts';
import { flowLister } from './changes.ts';
import { sendFeedback } from './feedback.ts';
import { flowDocument } from './flow-document.ts';
import { callbackForm, webhookSubscriptions } from './webhooks.ts';

/**
 * The flow service that every approved French platform offers (XP Z12-013).
 * @param key `afnor`, or `afnor-<name>` for a further platform
 */
export function afnorPlatform(key: string): Provider {
  const operator = key.slice('afnor-'.length);
  return {
    key,
    name: operator === '' ? 'AFNOR XP Z12-013' : `AFNOR XP Z12-013 (${operator})`,
    capabilities: { feedback: true, refusal: false, poll: true, webhook: true, oauth: true },
    connect: connectAfnor,
    verifySignature,
    callback: callbackForm,
    format: 'afnor',
  };
}

export const afnor: Provider = afnorPlatform('afnor');

function connectAfnor({ baseUrl, organizationId, ...options }: ClientOptions): ProviderClient {
  const organization = organizationId ? { 'organization-id': organizationId } : {};
  const headersOf = () => ({ 'request-id': randomUUID(), ...organization });
  const http = createProviderHttp({ ...options, baseUrl: versioned(baseUrl), headersOf });
  const { reader, owner } = options;
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice(http, externalId, signal),
    listChanged: flowLister(http),
    sendFeedback: (feedback, signal) => sendFeedback({ http, reader, owner, now: new Date(), signal }, feedback),
    subscriptions: webhookSubscriptions(http),
  };
}

/** Platforms publish the address of their flow service with or without its version. */
function versioned(baseUrl: string): string {
  const address = baseUrl.replace(/\/$/, '');
  return address.endsWith('/v1') ? address : `${address}/v1`;
}

const headers = { accept: 'application/json' };
const extensions: Record<string, string> = { 'Factur-X': 'pdf' };

/** `raw` is the platform's description of the flow; the document is the invoice: UBL, CII or Factur-X. */
async function fetchInvoice(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const raw = await http.bytes({ path: ['flows', id], query: { docType: 'Metadata' }, headers, signal });
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
