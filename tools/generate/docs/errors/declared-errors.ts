import type { HostName } from '../../../../services/gateway/routing/routes.ts';

type Json = Record<string, unknown>;
type Response = { $ref?: string; content?: Json };
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
};

/** An error code with the operations that answer it, by status: `POST /api-tokens`. */
export type DeclaredError = { code: string; statuses: Map<string, string[]> };

/** Every error code that the OpenAPI documents list, in order. */
export function declaredErrors(documents: Record<HostName, Json>): DeclaredError[] {
  const found = new Map<string, DeclaredError>();
  for (const { paths, components } of Object.values(documents) as Document[]) {
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const [status, code] of errorsOf(responses, components.responses)) {
          const error = found.get(code) ?? { code, statuses: new Map() };
          error.statuses.set(status, [...(error.statuses.get(status) ?? []), `${method.toUpperCase()} ${path}`]);
          found.set(code, error);
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function errorsOf(responses: Record<string, Response>, named: Record<string, Response>): [string, string][] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const described = response.$ref ? named[response.$ref.split('/').at(-1) ?? ''] : response;
    if (status < '400' || status === 'default') return [];
    return codesIn(described?.content).map((code): [string, string] => [status, code]);
  });
}

/** The values of `code`, wherever the schema has it. */
function codesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = (schema as { code?: { enum?: string[] } }).code?.enum ?? [];
  return [...own, ...Object.values(schema).flatMap(codesIn)];
}
