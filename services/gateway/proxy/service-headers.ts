import type { IncomingHttpHeaders } from 'node:http';
import type { AuthResult } from '../auth/authenticate-request.ts';
import { sessionCookieOf } from '../auth/credential-cache.ts';
import type { BodyLength } from '../limits/body-limit.ts';
import type { Route } from '../routing/routes.ts';
import { framing, type RawHeaders, requestHeaders } from './headers.ts';

/** How users reach the host; services get it as `X-Forwarded-Host` and `-Proto`. */
type PublicAddress = { host: string; protocol: string };

export function publicAddressOf(url: string): PublicAddress {
  const { host, protocol } = new URL(url);
  return { host, protocol: protocol.replace(/:$/, '') };
}

type Request = { method?: string | undefined; headers: IncomingHttpHeaders; rawHeaders: RawHeaders };
type Parts = {
  route: Route;
  /** The service's own `Host`. */
  authority: string;
  auth: AuthResult;
  address: string;
  requestId: string;
  publicAddress: PublicAddress;
  length: BodyLength;
  /** The headers by which the service continues the trace. */
  trace: Record<string, string>;
};

/** The headers of the request to the service: the gateway's own first, then those of the client that are forwarded. */
export function serviceHeaders(request: Request, parts: Parts): RawHeaders {
  const { route, auth, publicAddress, length } = parts;
  const own = ['Host', parts.authority, 'X-Request-Id', parts.requestId, 'X-Forwarded-For', parts.address];
  own.push('X-Forwarded-Proto', publicAddress.protocol, 'X-Forwarded-Host', publicAddress.host);
  for (const [name, value] of Object.entries(parts.trace)) own.push(name, value);
  if (auth.verified?.token) own.push('Authorization', `Bearer ${auth.verified.token}`);
  if (route.needsSession && auth.credential) own.push('X-Session-Token', auth.credential.value);
  if (route.needsSsoCookie) {
    const browser = ownCookieOf('sso', request.headers.cookie, publicAddress);
    if (browser) own.push('X-Sso-Browser', browser);
    const session = sessionCookieOf(request.headers, publicAddress.protocol === 'https');
    if (session) own.push('X-Session-Token', session);
  }
  const device = route.needsDevice && ownCookieOf('device', request.headers.cookie, publicAddress);
  if (device) own.push('X-Device', device);
  for (const part of framing(length, request.method ?? 'GET')) own.push(part);
  return requestHeaders(request.rawHeaders, own);
}

/**
 * A cookie of identity. Over https only the `__Host-` name counts, which no other host of the domain can set: whoever
 * plants the cookie of a sign-in could sign somebody else in as themselves.
 */
function ownCookieOf(name: string, cookie = '', { protocol }: PublicAddress): string | undefined {
  const start = `${protocol === 'https' ? '__Host-' : ''}${name}=`;
  const found = cookie.split(/; */).find((one) => one.startsWith(start));
  const value = found?.slice(start.length);
  return value !== undefined && /^[\w.-]{1,1000}$/.test(value) ? value : undefined;
}
