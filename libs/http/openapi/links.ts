import type { Route } from '../routing/route.ts';
import { type Json, propertiesOf } from './json-schema.ts';

/** `answer`: the schema of the response. `routes`: all of the service. */
type Context = { answer: Json; schemas: Record<string, Json>; routes: Route[] };

/**
 * The links of a creation: to each operation at or below the path of what it made that needs no further id. The id is
 * in the answer.
 */
export function links({ host, method, path }: Route, { answer, schemas, routes }: Context): Json {
  if (method !== 'post') return {};
  const given = parametersOf(path).map((name) => [name, `$request.path.${name}`]);
  const found = routes.flatMap((route) => {
    if (route.host !== host || !route.path.startsWith(`${path}/:`)) return [];
    const [id = '', ...more] = parametersOf(route.path.slice(path.length));
    const place = placeOf(id, answer, schemas);
    if (place === null || more.length > 0) return [];
    const parameters = Object.fromEntries([...given, [id, `$response.body#${place}`]]);
    return [[operationId(route), { operationId: operationId(route), parameters }]];
  });
  return found.length === 0 ? {} : { links: Object.fromEntries(found) };
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);
}

/** Where an answer has what a path calls `ticket_id`: its field `ticket_id`, the id of its `ticket`, or its own id. */
function placeOf(parameter: string, answer: Json, schemas: Record<string, Json>): string | null {
  const thing = parameter.replace(/_id$/, '');
  const fields = propertiesOf(answer, schemas);
  if (parameter in fields) return `/${parameter}`;
  const inner = ownId(propertiesOf(fields[thing] ?? {}, schemas));
  const own = ownId(fields);
  if (inner !== undefined) return `/${thing}/${inner}`;
  return own === undefined ? null : `/${own}`;
}

function ownId(fields: Record<string, Json>): string | undefined {
  return ['_id', 'id'].find((name) => name in fields);
}

/** The name of a route's operation, of its method and path. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.replace(/^\/api\/v[\d.]+/, '').match(/[\w-]+/g) ?? [];
  return [method, ...words].join('_').replaceAll('-', '_');
}
