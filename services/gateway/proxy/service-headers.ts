import { randomUUID } from 'node:crypto';
import type { AuthResult } from '../auth/authenticate-request.ts';
import type { BodyLength } from '../limits/body-limit.ts';
import type { Route } from '../routing/routes.ts';
import { framing, type RawHeaders, requestHeaders } from './headers.ts';

/** How users reach the host; services get it as `X-Forwarded-Host` and `-Proto`. */
export type PublicAddress = { host: string; protocol: string };

export function publicAddressOf(url: string): PublicAddress {
  const { host, protocol } = new URL(url);
  return { host, protocol: protocol.replace(/:$/, '') };
}

type Request = { method?: string | undefined; rawHeaders: RawHeaders; headers: NodeJS.Dict<string | string[]> };
type Parts = {
  route: Route;
  /** The service's own `Host`. */
  authority: string;
  auth: AuthResult;
  address: string;
  requestId: string;
  publicAddress: PublicAddress;
  length: BodyLength;
};

const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The headers of the request to the service: the gateway's own first, then those of the client that are forwarded. */
export function serviceHeaders(request: Request, parts: Parts): RawHeaders {
  const { route, auth, publicAddress, length } = parts;
  const own = ['Host', parts.authority, 'X-Request-Id', parts.requestId, 'X-Forwarded-For', parts.address];
  own.push('X-Forwarded-Proto', publicAddress.protocol, 'X-Forwarded-Host', publicAddress.host);
  own.push('traceparent', traceOf(request.headers['traceparent']));
  if (auth.verified) own.push('Authorization', `Bearer ${auth.verified.token}`);
  if (route.needsSession && auth.credential) own.push('X-Session-Token', auth.credential.value);
  for (const part of framing(length, request.method ?? 'GET')) own.push(part);
  return requestHeaders(request.rawHeaders, own);
}

/** The client's trace if it is well-formed (W3C Trace Context), else a new one, not sampled. */
function traceOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && traceparentPattern.test(given)) return given;
  // Node caches random bytes for UUIDs: ten times as fast as `randomBytes`.
  const trace = randomUUID().replaceAll('-', '');
  return `00-${trace}-${trace.slice(16)}-00`;
}
