import { randomUUID } from 'node:crypto';
import { allStatuses } from '@app/contracts';
import { AppError } from '@app/kernel';
import { readBounded } from '../http/bounded-stream.ts';
import { createProviderHttp, type ProviderHttp, parseJson } from '../http/http-client.ts';
import { record, text } from '../parsing/json.ts';
import type { ClientOptions, FetchedInvoice, Provider, ProviderClient } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { verifySignature } from '../signature.ts';
import { flowLister } from './changes.ts';
import { createDirectory } from './directory.ts';
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
    capabilities: { statuses: allStatuses, reversal: false, poll: true, webhook: true, oauth: true },
    connect: connectAfnor,
    verifySignature,
    callback: callbackForm,
    format: 'afnor',
  };
}

export const afnor: Provider = afnorPlatform('afnor');

function connectAfnor({ baseUrl, organizationId, directoryUrl, ...options }: ClientOptions): ProviderClient {
  const organization = organizationId ? { 'organization-id': organizationId } : {};
  const headersOf = () => ({ 'request-id': randomUUID(), ...organization });
  const http = createProviderHttp({ ...options, baseUrl: versioned(baseUrl), headersOf });
  const { reader, owner } = options;
  const directoryAt = directoryUrl ?? directoryBeside(baseUrl);
  // It knows no organisations.
  const ofDirectory = { ...options, headersOf: () => ({ 'request-id': randomUUID() }) };
  const directory =
    directoryAt === null
      ? undefined
      : createDirectory(createProviderHttp({ ...ofDirectory, baseUrl: versioned(directoryAt) }), owner);
  return {
    fetchInvoice: (externalId, signal) => fetchFlow({ http, reader, owner, signal }, externalId),
    listChanged: flowLister(http),
    sendFeedback: (feedback, signal) =>
      sendFeedback({ http, directory, reader, owner, now: new Date(), signal }, feedback),
    subscriptions: webhookSubscriptions(http),
    ...(directory && { directory }),
  };
}

/** Null for an address that the standard does not propose. */
function directoryBeside(baseUrl: string): string | null {
  const root = /^(.*)\/flow-service(?:\/v1)?\/?$/.exec(baseUrl)?.[1];
  return root === undefined ? null : `${root}/directory-service`;
}

/** Platforms publish the addresses of their services with or without the version. */
function versioned(baseUrl: string): string {
  const address = baseUrl.replace(/\/$/, '');
  return address.endsWith('/v1') ? address : `${address}/v1`;
}

/** A message names one invoice, as a rule. */
const maxMessageBytes = 5_000_000;
const headers = { accept: 'application/json' };
const extensions: Record<string, string> = { 'Factur-X': 'pdf' };

type Call = { http: ProviderHttp; signal: AbortSignal | undefined } & Pick<ClientOptions, 'reader' | 'owner'>;

/** `raw` is the platform's description of the flow; the document is the invoice: UBL, CII or Factur-X. */
async function fetchFlow(call: Call, id: string): Promise<FetchedInvoice> {
  const { http, signal } = call;
  const raw = await http.bytes({ path: ['flows', id], query: { docType: 'Metadata' }, headers, signal });
  const flow = record(parseJson(raw));
  const type = text(flow['flowType']) ?? 'Undefined';
  const isRefused = record(flow['acknowledgement'])['status'] === 'Error';
  if (type === 'Undefined' && !isRefused) {
    throw new ProviderError('transient', 'the provider does not know yet what this flow is');
  }
  const name = `${text(flow['flowId']) ?? id}.${extensions[text(flow['flowSyntax']) ?? ''] ?? 'xml'}`;
  const isIncoming = flow['flowDirection'] === 'In';
  if (isIncoming && type === 'SupplierInvoice')
    return { raw, document: await flowDocument(http, { id, name, signal }) };
  if (isIncoming && type === 'SupplierInvoiceLC')
    return { raw, document: null, statuses: await readStatuses(call, { id, name, raw }) };
  const message = 'the provider has a flow with this id, which is no incoming supplier invoice';
  throw new ProviderError('not_found', message, { code: 'no_invoice' });
}

/** @throws ProviderError refused if the message cannot be read */
async function readStatuses(
  { http, reader, owner, signal }: Call,
  { id, name, raw }: { id: string; name: string; raw: Buffer },
) {
  const { stream } = await flowDocument(http, { id, name, signal });
  const document = await readBounded(stream, maxMessageBytes);
  try {
    return await reader.read({ format: 'afnor_statuses', owner, withPayload: (use) => use({ raw, document }) });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    throw new ProviderError('refused', `the life-cycle message can't be read: ${error.message}`);
  }
}
