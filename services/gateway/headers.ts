/** Between two machines only (RFC 9110, 7.6.1), or set anew at every hop. */
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
 * What a client must not tell a service: its credentials, which stop here, and what the gateway alone may say. Length and
 * encoding of the body are written anew from how they were understood, so that no two machines read them differently.
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
  'x-real-ip',
  'x-request-id',
  'x-session-token',
]);

const notAnswered = new Set([...hopByHop, 'server', 'x-powered-by', 'x-request-id', 'x-route']);

/** Names and values in turn, as Node gives and takes them: much cheaper than an object for each request. */
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

/** The headers of an answer to the client: `own` first, then those of the service; `defaults` where it set none. */
export function answerHeaders(raw: RawHeaders, own: RawHeaders, defaults: ReadonlyMap<string, string>): RawHeaders {
  const headers = own;
  const named = connectionNames(raw);
  let defaulted = 0;
  const present: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const given = raw[i] as string;
    const name = given.toLowerCase();
    if (notAnswered.has(name) || named?.has(name)) continue;
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

/** The pattern of the path that answered, `/api/v3.0/tickets/:ticket_id`, as the service tells it; undefined where it does not. */
export function routeIn(raw: RawHeaders): string | undefined {
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name.length === 7 && name.toLowerCase() === 'x-route') return raw[i + 1];
  }
  return undefined;
}

/** What `Connection` names besides the usual is for this hop too; undefined, nearly always, where it names nothing. */
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

/** How long a body is: in bytes, unknown (`chunked`), or null where there is none. */
export type BodyLength = number | 'chunked' | null;

/**
 * How the body of a request is framed. Node's parser has refused what is ambiguous (both headers, two lengths, a length that
 * is no number). `undefined` for a transfer encoding other than `chunked`, which we could not undo.
 */
export function bodyLength(headers: NodeJS.Dict<string | string[]>): BodyLength | undefined {
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) return String(encoding).toLowerCase() === 'chunked' ? 'chunked' : undefined;
  const length = Number(headers['content-length'] ?? 0);
  return length > 0 ? length : null;
}

/** The framing as it is said to the service; a method that usually has a body says so where it has none. */
export function framing(length: BodyLength, method: string): RawHeaders {
  if (length === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (length !== null) return ['Content-Length', String(length)];
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? ['Content-Length', '0'] : [];
}
