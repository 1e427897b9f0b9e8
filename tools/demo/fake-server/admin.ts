import { type Faults, faultOf } from './faults.ts';
import { parseJsonBody, pathSegments, type Reply, type Request, required } from './http-server.ts';

export type Body = Record<string, unknown>;

/** By `METHOD path` below `/admin/`, in which the second segment is `:id`. What one returns is the answer. */
export type Operations = Record<string, (body: Body, more: { id: string; query: URLSearchParams }) => unknown>;

/** The admin API of a fake: its own operations, and those of its faults. 204, or 200 with a result; null for an unknown path. */
export async function answerAdmin(operations: Operations, faults: Faults, request: Request): Promise<Reply | null> {
  const [, resource, id, ...rest] = pathSegments(request);
  const path = [resource, ...(id === undefined ? [] : [':id']), ...rest].join('/');
  const all: Operations = {
    ...operations,
    'POST faults': (body) => faults.add(faultOf(body)),
    'DELETE faults': () => faults.clear(),
  };
  const operation = all[`${request.method} ${path}`];
  if (!operation) return null;
  const result = await operation(parseJsonBody(request), { id: id ?? '', query: request.query });
  return result === undefined ? { status: 204 } : { status: 200, json: result };
}

/** @throws HttpError 422 */
export function textOf(body: Body, name: string): string {
  return required(body[name], name);
}
