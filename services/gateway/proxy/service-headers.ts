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

type Request = { method?: string | undefined; headers: { cookie?: string | undefined }; rawHeaders: RawHeaders };
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
  if (auth.verified) own.push('Authorization', `Bearer ${auth.verified.token}`);
  if (route.needsSession && auth.credential) own.push('X-Session-Token', auth.credential.value);
  const browser = route.needsSsoCookie ? ssoCookieOf(request.headers.cookie ?? '', publicAddress) : undefined;
  if (browser) own.push('X-Sso-Browser', browser);
  for (const part of framing(length, request.method ?? 'GET')) own.push(part);
  return requestHeaders(request.rawHeaders, own);
}

/**
 * Over https only the `__Host-` name counts, which no other host of the domain can set: whoever plants this cookie
 * could sign somebody else in as themselves.
 */
function ssoCookieOf(cookie: string, { protocol }: PublicAddress): string | undefined {
  const pattern = protocol === 'https' ? /(?:^|;) *__Host-sso=([\w-]{43})(?:;|$)/ : /(?:^|;) *sso=([\w-]{43})(?:;|$)/;
  return pattern.exec(cookie)?.[1];
}
