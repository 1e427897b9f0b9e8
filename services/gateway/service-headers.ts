import { randomUUID } from 'node:crypto';
import type { Admission } from './admit.ts';
import { type BodyLength, framing, type RawHeaders, requestHeaders } from './headers.ts';
import type { Route } from './routes.ts';

/** How users reached the host: said to the services as `X-Forwarded-Host` and `-Proto`. */
export type PublicAddress = { host: string; protocol: string };

export function publicAddressOf(url: string): PublicAddress {
  const { host, protocol } = new URL(url);
  return { host, protocol: protocol.replace(/:$/, '') };
}

type Request = { method?: string | undefined; rawHeaders: RawHeaders; headers: NodeJS.Dict<string | string[]> };
type Facts = {
  route: Route;
  /** The service's own `Host`. */
  authority: string;
  admission: Admission;
  address: string;
  requestId: string;
  publicAddress: PublicAddress;
  length: BodyLength;
};

const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Everything that the service is told: the gateway's word first, then what may pass of the client's. */
export function serviceHeaders(request: Request, facts: Facts): RawHeaders {
  const { route, admission, publicAddress, length } = facts;
  const own = ['Host', facts.authority, 'X-Request-Id', facts.requestId, 'X-Forwarded-For', facts.address];
  own.push('X-Forwarded-Proto', publicAddress.protocol, 'X-Forwarded-Host', publicAddress.host);
  own.push('traceparent', traceOf(request.headers['traceparent']));
  if (admission.known) own.push('Authorization', `Bearer ${admission.known.token}`);
  if (route.needsSession && admission.credential) own.push('X-Session-Token', admission.credential.value);
  for (const part of framing(length, request.method ?? 'GET')) own.push(part);
  return requestHeaders(request.rawHeaders, own);
}

/** The client's trace if it is well-formed (W3C Trace Context), else a new one, not sampled: nobody asked for it. */
function traceOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && traceparentPattern.test(given)) return given;
  // Node keeps random bytes for the next UUIDs in store: a tenth of what asking for bytes each time costs.
  const trace = randomUUID().replaceAll('-', '');
  return `00-${trace}-${trace.slice(16)}-00`;
}
