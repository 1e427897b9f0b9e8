import type { BodyLength } from '../limits/body-limit.ts';

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Headers of clients that are not forwarded: credentials, which stop here, and those that services trust the gateway to set.
 * Length and encoding of the body are written from how they were parsed, against request smuggling.
 */
const notForwarded = new Set([
  ...hopByHop,
  'authorization',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'traceparent',
  'tracestate',
  'x-device',
  'x-real-ip',
  'x-request-id',
  'x-session-token',
  'x-sso-browser',
]);

const notPassedOn = new Set([...hopByHop, 'server', 'x-powered-by', 'x-request-id', 'x-route']);

/** Names and values in turn, as in `rawHeaders`: cheaper than an object for each request. */
export type RawHeaders = string[];

/** The headers of a request to a service: `own` first, then those of the client that may pass. */
export function requestHeaders(raw: RawHeaders, own: RawHeaders): RawHeaders {
  const headers = own;
  const named = connectionNames(raw);
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (notForwarded.has(name) || name.startsWith('x-forwarded-') || named?.has(name)) continue;
    headers.push(name, raw[i + 1] as string);
  }
  return headers;
}

/** The headers of a response to the client: `own` first, then those of the service; `defaults` that it did not set. */
export function responseHeaders(raw: RawHeaders, own: RawHeaders, defaults: ReadonlyMap<string, string>): RawHeaders {
  const headers = own;
  const named = connectionNames(raw);
  let defaulted = 0;
  const present: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const given = raw[i] as string;
    const name = given.toLowerCase();
    if (notPassedOn.has(name) || named?.has(name)) continue;
    if (defaults.has(name)) {
      defaulted += 1;
      present.push(name);
    }
    headers.push(given, raw[i + 1] as string);
  }
  for (const [name, value] of defaults) {
    if (defaulted === 0 || !present.includes(name)) headers.push(name, value);
  }
  return headers;
}

/** The service's pattern of the path, `/api/v3.0/tickets/:ticket_id`, from `X-Route`; undefined if the service sent none. */
export function routeIn(raw: RawHeaders): string | undefined {
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name.length === 7 && name.toLowerCase() === 'x-route') return raw[i + 1];
  }
  return undefined;
}

/** The headers that `Connection` names as hop-by-hop; undefined, nearly always, if it names none. */
function connectionNames(raw: RawHeaders): Set<string> | undefined {
  let names: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const value = (raw[i + 1] as string).toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    names ??= new Set();
    for (const token of value.split(',')) names.add(token.trim());
  }
  return names;
}

/** The framing headers of the request to the service; POST, PUT and PATCH say so if they have no body. */
export function framing(length: BodyLength, method: string): RawHeaders {
  if (length === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (length !== null) return ['Content-Length', String(length)];
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? ['Content-Length', '0'] : [];
}
