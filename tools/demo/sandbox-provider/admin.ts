import { type Body, type Operations, textOf } from '../fake-server/admin.ts';
import { missing, required } from '../fake-server/http-server.ts';
import type { Ledger, StoredDocument } from './ledger.ts';
import { sampleInvoices } from './samples.ts';
import { sendWebhook } from './webhook.ts';

export type CallCount = { count: number; byPath: Record<string, number> };

/** The admin API (README.md): adds invoices, orders faults, reads feedback. */
export function adminOperations(ledger: Ledger, calls: () => CallCount): Operations {
  const apiKeyOf = (query: URLSearchParams) => query.get('api_key') ?? '';
  return {
    'POST accounts': (body) => account(ledger, body),
    'POST invoices': (body) => invoice(ledger, body),
    'DELETE invoices/:id': (_body, { id, query }) => ledger.remove(apiKeyOf(query), id),
    'POST samples': (body) => samples(ledger, body),
    'POST webhooks': async (body) => ({ webhook: await notify(ledger, body) }),
    'GET feedback': (_body, { query }) => ({ items: ledger.feedbackOf(apiKeyOf(query)) }),
    'GET calls': calls,
  };
}

function account(ledger: Ledger, body: Body): void {
  const text = (name: string) => (typeof body[name] === 'string' && body[name] !== '' ? body[name] : null);
  ledger.setAccount({
    apiKey: textOf(body, 'api_key'),
    clientId: text('client_id'),
    webhookUrl: text('webhook_url'),
    webhookSecret: text('webhook_secret'),
  });
}

async function invoice(ledger: Ledger, body: Body): Promise<object> {
  const apiKey = textOf(body, 'api_key');
  if (typeof body['invoice'] !== 'object' || body['invoice'] === null) throw missing('invoice');
  const stored = ledger.put(apiKey, body['invoice'] as Body, documentOf(body['document']));
  const webhook = body['notify'] === true ? await sendWebhook(ledger.accountOf(apiKey), [stored.id]) : null;
  return { invoice: stored, webhook };
}

function samples(ledger: Ledger, body: Body): object {
  const apiKey = textOf(body, 'api_key');
  const stored = sampleInvoices().map(({ invoice: fields, document }) => ledger.put(apiKey, fields, document));
  return { invoices: stored };
}

function notify(ledger: Ledger, body: Body) {
  const ids = Array.isArray(body['invoice_ids']) ? body['invoice_ids'].map(String) : [];
  return sendWebhook(ledger.accountOf(textOf(body, 'api_key')), ids);
}

/** `undefined` leaves the document as it is; null removes it. */
function documentOf(value: unknown): StoredDocument | null | undefined {
  if (value === undefined || value === null) return value;
  const { name, type, base64 } = value as Body;
  return {
    name: required(name, 'document.name'),
    type: required(type, 'document.type'),
    bytes: Buffer.from(required(base64, 'document.base64'), 'base64'),
  };
}
