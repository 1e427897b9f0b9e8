import { LRUCache } from 'lru-cache';
import { createProviderHttp, type ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, list, record, text } from '../parsing/json.ts';
import type { ClientOptions, FetchedInvoice, ProviderClient, ProviderDocument } from '../provider.ts';
import { isAbsent, ProviderError, partOf } from '../provider-error.ts';
import { listChanged } from './changes.ts';
import { sendFeedback } from './feedback.ts';

const pageLimit = 100;
/** 2,000 lines: an invoice with more is not for one ticket. */
const maxPages = 20;
const maxRawBytes = 5_000_000;
/** Short, because an old IBAN must not be used; long enough for the invoices of one page, as 25 calls in 5 s are allowed. */
const supplierCacheMs = 60_000;
const maxCachedSuppliers = 500;

/** The client of Pennylane's API v2, with its changes of 2026 (the only version since July 2026). */
export function connectPennylane(options: ClientOptions): ProviderClient {
  const http = createProviderHttp({ ...options, headersOf: () => ({ 'x-use-2026-api-changes': 'true' }) });
  const suppliers: SupplierCache = new LRUCache({ max: maxCachedSuppliers, ttl: supplierCacheMs });
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice({ http, suppliers }, externalId, signal),
    listChanged: (since, cursor, signal) => listChanged({ http, now: new Date(), signal }, since, cursor),
    sendFeedback: (feedback, signal) => sendFeedback({ http, signal }, feedback),
  };
}

/** `null`: the provider no longer has this supplier. */
type SupplierCache = LRUCache<string, { supplier: Json | null }>;
type Deps = { http: ProviderHttp; suppliers: SupplierCache };

/**
 * Joins several responses to one JSON: `{invoice, lines, supplier, purchase_requests}`. File addresses are left out: they are
 * signed again in each response, and an unchanged invoice must have the same bytes.
 */
async function fetchInvoice(deps: Deps, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const { http } = deps;
  const path = ['supplier_invoices', id];
  const { public_file_url: publicFile, e_invoicing, ...invoice } = record(await http.json({ path, signal }));
  const { source_file_url: sourceFile, ...eInvoicing } = record(e_invoicing);
  const raw = Buffer.from(
    JSON.stringify({
      invoice: { ...invoice, e_invoicing: e_invoicing ? eInvoicing : null },
      lines: await partOf(allItems(http, { path: [...path, 'invoice_lines'], signal })),
      supplier: await supplierOf(deps, identifier(record(invoice['supplier'])['id']), signal),
      purchase_requests: await linkedPurchaseRequests(http, id, signal),
    }),
  );
  if (raw.length > maxRawBytes) throw new ProviderError('refused', `the invoice is longer than ${maxRawBytes} bytes`);
  const name = identifier(invoice['filename']) ?? `${id}.pdf`;
  // The source file of an e-invoice has its data; the public file may be only a picture of it.
  const url = text(sourceFile) ?? text(publicFile);
  return { raw, document: url === null ? null : await documentAt({ http, url, name, signal }) };
}

type DocumentCall = { http: ProviderHttp; url: string; name: string; signal: AbortSignal | undefined };

/** Null if the link is dead. A 401 there says nothing about the API key, which is not sent. */
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
  for (let page = 0; page < maxPages; page += 1) {
    const answer = record(await http.json({ ...call, query: { limit: pageLimit, cursor } }));
    items.push(...list(answer['items']).map(record));
    cursor = answer['has_more'] === true ? text(answer['next_cursor']) : null;
    if (cursor === null) return items;
  }
  throw new ProviderError('refused', `the invoice has more than ${maxPages * pageLimit} lines`);
}

/** Empty if the key may not read them, or the account does not use them. */
async function linkedPurchaseRequests(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<Json[]> {
  try {
    return await allItems(http, { path: ['supplier_invoices', id, 'linked_purchase_requests'], signal });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The supplier of an invoice; null if the invoice names none, or one that the provider no longer has. */
async function supplierOf({ http, suppliers }: Deps, id: string | null, signal?: AbortSignal): Promise<Json | null> {
  if (id === null) return null;
  const cached = suppliers.get(id);
  if (cached) return cached.supplier;
  const supplier = await http.json({ path: ['suppliers', id], signal }).then(record, (error: unknown) => {
    if (error instanceof ProviderError && error.kind === 'not_found') return null;
    throw error;
  });
  suppliers.set(id, { supplier });
  return supplier;
}
