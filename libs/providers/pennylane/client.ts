import { createProviderHttp, type ProviderCall, type ProviderHttp } from '../http-client.ts';
import { identifier, type Json, list, record, text } from '../json.ts';
import type { ClientOptions, FetchedInvoice, ProviderClient, ProviderDocument } from '../provider.ts';
import { isAbsent, ProviderError } from '../provider-error.ts';
import { listChanged } from './changes.ts';
import { sendFeedback } from './feedback.ts';
import { createSuppliers, type Suppliers } from './suppliers.ts';

const pageLimit = 100;
/** 2,000 lines; an invoice with more is no invoice for one ticket. */
const mostPages = 20;
const maxRawBytes = 5_000_000;

/** The client of Pennylane's API v2 (domain.md 2.1). Opted in to its changes of 2026, which are the only form since July. */
export function connectPennylane(options: ClientOptions): ProviderClient {
  const http = withHeader(createProviderHttp(options));
  const suppliers = createSuppliers(http);
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice({ http, suppliers }, externalId, signal),
    listChanged: (since, cursor, signal) => listChanged({ http, now: new Date(), signal }, since, cursor),
    sendFeedback: (feedback, signal) => sendFeedback({ http, signal }, feedback),
  };
}

function withHeader(http: ProviderHttp): ProviderHttp {
  const opted = (call: ProviderCall) => ({ ...call, headers: { 'x-use-2026-api-changes': 'true', ...call.headers } });
  return { ...http, json: (call) => http.json(opted(call)), bytes: (call) => http.bytes(opted(call)) };
}

type Deps = { http: ProviderHttp; suppliers: Suppliers };

/**
 * One JSON of what several answers say: `{invoice, lines, supplier, purchase_requests}`. Without the addresses of files,
 * which are signed anew with each answer: the same invoice is the same bytes.
 */
async function fetchInvoice({ http, suppliers }: Deps, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const path = ['supplier_invoices', id];
  const { public_file_url: publicFile, e_invoicing, ...invoice } = record(await http.json({ path, signal }));
  const { source_file_url: sourceFile, ...eInvoicing } = record(e_invoicing);
  const raw = Buffer.from(
    JSON.stringify({
      invoice: { ...invoice, e_invoicing: e_invoicing ? eInvoicing : null },
      lines: await allItems(http, { path: [...path, 'invoice_lines'], signal }),
      supplier: await suppliers.read(identifier(record(invoice['supplier'])['id']), signal),
      purchase_requests: await linkedPurchaseRequests(http, id, signal),
    }),
  );
  if (raw.length > maxRawBytes) throw new ProviderError('refused', `the invoice is longer than ${maxRawBytes} bytes`);
  const name = identifier(invoice['filename']) ?? `${id}.pdf`;
  // The source of an e-invoice holds its data as well; the other file may be no more than its picture.
  const url = text(sourceFile) ?? text(publicFile);
  return { raw, document: url === null ? null : await documentAt({ http, url, name, signal }) };
}

type DocumentCall = { http: ProviderHttp; url: string; name: string; signal: AbortSignal | undefined };

/** A link that leads nowhere (any more) is an invoice without a file; it says nothing of the key, which it does not take. */
async function documentAt({ http, url, name, signal }: DocumentCall): Promise<ProviderDocument | null> {
  if (!http.mayFetch(url)) return null;
  try {
    return await http.document({ url, signal }, name);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function allItems(
  http: ProviderHttp,
  call: { path: string[]; signal?: AbortSignal | undefined },
): Promise<Json[]> {
  const items: Json[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = record(await http.json({ ...call, query: { limit: pageLimit, cursor } }));
    items.push(...list(answer['items']).map(record));
    cursor = answer['has_more'] === true ? text(answer['next_cursor']) : null;
    if (cursor === null) return items;
  }
  throw new ProviderError('refused', `the invoice has more than ${mostPages * pageLimit} lines`);
}

/** None where the key may not read them, or the account has no such thing: the invoice stands without. */
async function linkedPurchaseRequests(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<Json[]> {
  try {
    return await allItems(http, { path: ['supplier_invoices', id, 'linked_purchase_requests'], signal });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
