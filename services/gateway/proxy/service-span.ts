import { type Span, startChildSpan } from '@app/tracing';
import type { Target } from './proxy.ts';

/** The span of the request to a service, until the response is passed on. Null if the trace is not recorded. */
export function startServiceSpan(method: string, { authority, port }: Target): Span | null {
  const [host] = authority.split(':');
  const attributes = { 'http.request.method': method, 'server.address': host ?? authority, 'server.port': port };
  return startChildSpan({ name: method, kind: 'client', attributes });
}
