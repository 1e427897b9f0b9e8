import type { Route } from '../routing/route.ts';

/** The name of a route's operation, of its method and path. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.replace(/^\/api\/v[\d.]+/, '').match(/[\w-]+/g) ?? [];
  return [method, ...words].join('_').replaceAll('-', '_');
}
