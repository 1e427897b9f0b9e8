import type { Faults } from '../fake-server/faults.ts';
import { HttpError, parseJsonBody, pathSegments, type Reply, type Request } from '../fake-server/http-server.ts';
import type { Ledger } from './ledger.ts';

const outcomes = ['taken_in_charge', 'reversed', 'refused'];
const maxPageSize = 1_000;

/** The API that the platform calls (README.md). Null for an unknown path. */
export function handleApi({ ledger, faults }: { ledger: Ledger; faults: Faults }, request: Request): Reply | null {
  const [collection, id, part, ...rest] = pathSegments(request);
  if (collection !== 'invoices' || rest.length > 0) return null;
  const apiKey = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
  const operation = `${request.method} ${[id && ':id', part].filter(Boolean).join('/')}`;
  switch (operation) {
    case 'GET ':
      return changes(ledger, apiKey, request.query, faults.isInDisorder());
    case 'GET :id':
      return { status: 200, json: ledger.read(apiKey, id as string) };
    case 'GET :id/document':
      return document(ledger, apiKey, id as string);
    case 'POST :id/feedback':
      return feedback(ledger, { apiKey, id: id as string }, request);
    default:
      return null;
  }
}

function changes(ledger: Ledger, apiKey: string | null, query: URLSearchParams, isInDisorder: boolean): Reply {
  const since = query.get('updated_after') === null ? 0 : Date.parse(query.get('updated_after') as string);
  const limit = Number(query.get('limit') ?? 100);
  const after = Number(query.get('cursor') ?? 0);
  if (Number.isNaN(since)) throw new HttpError(422, 'invalid_query', 'updated_after is a date in ISO 8601');
  if (!Number.isInteger(after)) throw new HttpError(422, 'invalid_query', 'this cursor is none of ours');
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxPageSize)) {
    throw new HttpError(422, 'invalid_query', `limit is 1 to ${maxPageSize}`);
  }
  const { page, more } = ledger.changes(apiKey, { since, after, limit });
  const items = page.map(({ invoice, deleted }) => ({ id: invoice.id, updated_at: invoice.updated_at, deleted }));
  const listed = isInDisorder ? items.toReversed().flatMap((item) => [item, item]) : items;
  return { status: 200, json: { items: listed, next_cursor: more ? String(page.at(-1)?.sequence) : null } };
}

function document(ledger: Ledger, apiKey: string | null, id: string): Reply {
  const { bytes, type, name } = ledger.documentOf(apiKey, id);
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return { status: 200, bytes, headers: { 'content-type': type, 'content-disposition': disposition } };
}

function feedback(ledger: Ledger, { apiKey, id }: { apiKey: string | null; id: string }, request: Request): Reply {
  ledger.accountOf(apiKey);
  const { outcome, ticket, po_ref: poRef, refusal } = parseJsonBody(request);
  if (typeof outcome !== 'string' || !outcomes.includes(outcome)) {
    throw new HttpError(422, 'invalid_outcome', `outcome is one of ${outcomes.join(', ')}`);
  }
  ledger.addFeedback(apiKey, id, { outcome, ticket: ticket ?? null, poRef: poRef ?? null, refusal: refusal ?? null });
  return { status: 204 };
}
