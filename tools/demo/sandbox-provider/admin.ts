import { type Faults, faultOf } from '../fake-server/faults.ts';
import {
  missing,
  parseJsonBody,
  pathSegments,
  type Reply,
  type Request,
  required,
} from '../fake-server/http-server.ts';
import type { Ledger, StoredDocument } from './ledger.ts';
import { sampleInvoices } from './samples.ts';
import { sendWebhook } from './webhook.ts';

export type CallCount = { count: number; byPath: Record<string, number> };
type Deps = { ledger: Ledger; faults: Faults; calls: () => CallCount };
type Body = Record<string, unknown>;

/** The admin API (README.md): adds invoices, orders faults, reads feedback. Null for an unknown path. */
export async function handleAdmin(deps: Deps, request: Request): Promise<Reply | null> {
  const { ledger, faults, calls } = deps;
  const apiKey = request.query.get('api_key') ?? '';
  const [, resource, id] = pathSegments(request);
  switch (`${request.method} ${resource}${id === undefined ? '' : '/:id'}`) {
    case 'POST accounts':
      return account(ledger, parseJsonBody(request));
    case 'POST invoices':
      return invoice(ledger, parseJsonBody(request));
    case 'DELETE invoices/:id':
      ledger.remove(apiKey, id as string);
      return { status: 204 };
    case 'POST samples':
      return samples(ledger, parseJsonBody(request));
    case 'POST webhooks':
      return { status: 200, json: { webhook: await notify(ledger, parseJsonBody(request)) } };
    case 'POST faults':
      faults.add(faultOf(parseJsonBody(request)));
      return { status: 204 };
    case 'DELETE faults':
      faults.clear();
      return { status: 204 };
    case 'GET feedback':
      return { status: 200, json: { items: ledger.feedbackOf(apiKey) } };
    case 'GET calls':
      return { status: 200, json: calls() };
    default:
      return null;
  }
}

function account(ledger: Ledger, body: Body): Reply {
  const text = (name: string) => (typeof body[name] === 'string' && body[name] !== '' ? body[name] : null);
  ledger.setAccount({
    apiKey: required(text('api_key'), 'api_key'),
    clientId: text('client_id'),
    webhookUrl: text('webhook_url'),
    webhookSecret: text('webhook_secret'),
  });
  return { status: 204 };
}

async function invoice(ledger: Ledger, body: Body): Promise<Reply> {
  const apiKey = required(body['api_key'], 'api_key');
  if (typeof body['invoice'] !== 'object' || body['invoice'] === null) throw missing('invoice');
  const stored = ledger.put(apiKey, body['invoice'] as Body, documentOf(body['document']));
  const webhook = body['notify'] === true ? await sendWebhook(ledger.accountOf(apiKey), [stored.id]) : null;
  return { status: 201, json: { invoice: stored, webhook } };
}

function samples(ledger: Ledger, body: Body): Reply {
  const apiKey = required(body['api_key'], 'api_key');
  const stored = sampleInvoices().map(({ invoice: fields, document }) => ledger.put(apiKey, fields, document));
  return { status: 201, json: { invoices: stored } };
}

function notify(ledger: Ledger, body: Body) {
  const ids = Array.isArray(body['invoice_ids']) ? body['invoice_ids'].map(String) : [];
  return sendWebhook(ledger.accountOf(required(body['api_key'], 'api_key')), ids);
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
