import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addAbortSignal } from 'node:stream';
import { inSpan } from '@app/runtime/tracing';
import axios, { AxiosError } from 'axios';
import type { HttpOptions, ProviderDocument } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { type Authorization, keyAuthorization, noAuthorization, tokenAuthorization } from './authorization.ts';
import { boundedStream, readBounded } from './bounded-stream.ts';
import { dateIn, fileNameIn, type ProviderResponse, redirectTarget, responseError } from './response.ts';
import { createThirdPartyHttp, type ThirdPartyHttp } from './third-party-http.ts';

/**
 * One call. `path`: segments after the base address, not encoded yet. `url`: a whole address, which gets the key only if it
 * has the origin of the base. An object as `body` is sent as JSON, a `Buffer` as it is.
 */
export type ProviderCall = ({ path: string[] } | { url: string }) & {
  method?: 'get' | 'post' | 'put' | 'delete';
  query?: Record<string, string | number | null>;
  headers?: Record<string, string>;
  body?: object;
  /** The provider would do it twice: after a broken connection the caller looks first whether it arrived. */
  isOnce?: boolean;
  signal?: AbortSignal | undefined;
};

/** Every method rejects with `ProviderError`, or with the reason of an aborted `signal`. */
export type ProviderHttp = {
  /** The body of a 2xx response, at most 5 MB. */
  bytes(call: ProviderCall): Promise<Buffer>;
  /** The body of a 2xx response, parsed; `transient` if it is not JSON. */
  json(call: ProviderCall): Promise<unknown>;
  /** The same, and when the provider answered, by its clock (`date` of the response); null if it does not say. */
  dated(call: ProviderCall): Promise<{ answer: unknown; answeredAt: Date | null }>;
  /** The body of a 2xx response as a stream of at most 25 MB; `fallbackName` if the response has no file name. */
  document(call: ProviderCall, fallbackName: string): Promise<ProviderDocument>;
  /** Whether a document may be fetched from there: from the origin of the API, or from a public host over https. */
  mayFetch(url: string): boolean;
};

const maxBodyBytes = 5_000_000;
const maxDocumentBytes = 25_000_000;
const maxRedirects = 3;
const defaultTimeoutMs = 10_000;
/** The timeout of a document, as a multiple of that of other calls. */
const documentTimeoutFactor = 6;
/** Shorter than the 5 s after which most servers close a connection, so that few requests meet a closing one. */
const idleConnectionMs = 4_000;

/** Shared by all clients: connections hold no key, each request does. Statuses and redirects are handled below. */
const client = axios.create({
  adapter: 'http',
  httpAgent: new HttpAgent({ keepAlive: true, timeout: idleConnectionMs }),
  httpsAgent: new HttpsAgent({ keepAlive: true, timeout: idleConnectionMs }),
  responseType: 'stream',
  maxRedirects: 0,
  maxBodyLength: maxDocumentBytes,
  proxy: false,
  validateStatus: () => true,
});

const publicHosts = createThirdPartyHttp();

/** HTTP to one provider with one key, bounded in time and size. The key goes to the origin of `baseUrl` alone. */
export function createProviderHttp(options: HttpOptions): ProviderHttp {
  const { baseUrl, credentials, timeoutMs = defaultTimeoutMs, thirdParty = publicHosts, headersOf } = options;
  const shared = { timeoutMs, thirdParty };
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  if ('apiKey' in credentials) {
    return createHttp({
      base,
      isTrusted: true,
      authorization: keyAuthorization(credentials.apiKey),
      headersOf,
      ...shared,
    });
  }
  const { tokenUrl, isFromTenant, clientSecret } = credentials;
  const endpoint = { base: new URL(tokenUrl), isTrusted: !isFromTenant, authorization: noAuthorization(clientSecret) };
  const tokens = createHttp({ ...endpoint, ...shared });
  const request = (form: Record<string, string>, headers: Record<string, string>) => {
    const body = Buffer.from(new URLSearchParams(form).toString());
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return tokens.json({ url: tokenUrl, method: 'post', headers: { ...type, ...headers }, body });
  };
  return createHttp({
    base,
    isTrusted: true,
    authorization: tokenAuthorization(credentials, request),
    headersOf,
    ...shared,
  });
}

/** `isTrusted`: an operator set the address, so it may be any. `headersOf`: further headers of a request to it. */
type Endpoint = {
  base: URL;
  isTrusted: boolean;
  authorization: Authorization;
  thirdParty: ThirdPartyHttp;
  headersOf?: HttpOptions['headersOf'];
};

function createHttp({ timeoutMs, ...endpoint }: Endpoint & { timeoutMs: number }): ProviderHttp {
  const { base, thirdParty } = endpoint;

  async function run<T>(call: ProviderCall, ms: number, read: (response: ProviderResponse) => Promise<T> | T) {
    const timeout = AbortSignal.timeout(ms);
    const signal = call.signal ? AbortSignal.any([timeout, call.signal]) : timeout;
    const method = (call.method ?? 'get').toUpperCase();
    const attributes = { 'http.request.method': method, 'server.address': base.hostname };
    return inSpan({ name: method, kind: 'client', attributes }, async () => {
      try {
        return await read(await sendFollowing(call, { ...endpoint, signal }));
      } catch (error) {
        throw toProviderError(error, call.signal);
      }
    });
  }

  const dated = (call: ProviderCall) =>
    run({ ...call, headers: { accept: 'application/json', ...call.headers } }, timeoutMs, async ({ data, headers }) => {
      return { answer: parseJson(await readBounded(data, maxBodyBytes)), answeredAt: dateIn(headers['date']) };
    });
  return {
    bytes: (call) => run(call, timeoutMs, ({ data }) => readBounded(data, maxBodyBytes)),
    dated,
    json: async (call) => (await dated(call)).answer,
    document(call, fallbackName) {
      return run(call, timeoutMs * documentTimeoutFactor, ({ data, headers }) => ({
        stream: boundedStream(data, maxDocumentBytes, (error) => toProviderError(error, call.signal)),
        type: String(headers['content-type'] ?? 'application/octet-stream'),
        name: fileNameIn(headers['content-disposition']) ?? fallbackName,
      }));
    },
    mayFetch: (url) => thirdParty.isAllowed(url) || (URL.canParse(url) && new URL(url).origin === base.origin),
  };
}

type Session = Endpoint & { signal: AbortSignal };

/** The 2xx response, after redirects of a GET within one origin. */
async function sendFollowing(call: ProviderCall, session: Session): Promise<ProviderResponse> {
  let url = urlOf(call, session.base);
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendAuthorized(call, url, session);
    if (response.status >= 200 && response.status < 300) return response;
    if (response.status < 300 || response.status >= 400) {
      const body = await readBounded(response.data, maxBodyBytes);
      throw responseError(response, body, session.authorization.secrets());
    }
    response.data.destroy();
    url = redirectTarget(response, url, redirects < maxRedirects && (call.method ?? 'get') === 'get');
  }
}

/** Once more if the API refuses the header and there may be a better one. */
async function sendAuthorized(call: ProviderCall, url: URL, session: Session): Promise<ProviderResponse> {
  const { base, isTrusted, authorization, signal } = session;
  if (!isTrusted || url.origin !== base.origin) return send(call, url, { session, own: null });
  const header = await authorization.header(signal);
  const response = await send(call, url, { session, own: withHeader(header) });
  if (response.status !== 401 || header === null || !authorization.refused(header)) return response;
  response.data.destroy();
  return send(call, url, { session, own: withHeader(await authorization.header(signal)) });
}

const withHeader = (authorization: string | null) => (authorization === null ? {} : { authorization });

/** `own`: headers for the address itself; null for any other one, which must be public. */
type Sent = { session: Session; own: { authorization?: string } | null };

async function send(call: ProviderCall, url: URL, { session, own }: Sent): Promise<ProviderResponse> {
  const { thirdParty, headersOf, signal } = session;
  // The agent checks names when it looks them up; a literal IP address is never looked up, so it is checked here.
  if (own === null && !thirdParty.isAllowed(url.href)) throw addressRefused();
  const request = () =>
    client.request<IncomingMessage>({
      method: call.method ?? 'get',
      url: url.href,
      headers: { ...call.headers, ...(own ? { ...headersOf?.(), ...own } : {}) },
      ...(own ? {} : { httpsAgent: thirdParty.agent }),
      signal,
      ...(call.body === undefined ? {} : { data: call.body }),
    });
  const { status, headers, data } = await request().catch((error) =>
    isStaleConnection(error) && !call.isOnce ? request() : Promise.reject(error),
  );
  // Without a listener an error of a stream that nobody reads yet would end the process.
  data.on('error', () => undefined);
  addAbortSignal(signal, data);
  return { status, headers, data };
}

function addressRefused(): ProviderError {
  return new ProviderError('refused', 'the provider names an address that is not public', { code: 'address_refused' });
}

function urlOf(call: ProviderCall, base: URL): URL {
  const url = 'url' in call ? new URL(call.url) : new URL(call.path.map(encodeSegment).join('/'), base);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

/** @throws ProviderError not_found for an id like `..`, which would lead to another path of the API */
function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new ProviderError('not_found', 'the provider can have nothing with this id');
  return encodeURIComponent(segment);
}

/**
 * The provider closed an idle connection just as it was used, most likely before it saw the request, so the request is sent
 * again. If it did see it, nothing happens twice: every other call of a provider client may be repeated.
 */
function isStaleConnection(error: unknown): boolean {
  if (!(error instanceof AxiosError) || error.response) return false;
  const request = error.request as ClientRequest | undefined;
  return request?.reusedSocket === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** @throws ProviderError transient if it is not JSON: it came from a proxy in front of the API */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderError('transient', 'the provider answered with something that is no JSON');
  }
}

const timeoutCodes = ['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED', 'ABORT_ERR'];

/** Keeps the code alone: errors of axios hold the request with its headers, and so the key. */
function toProviderError(error: unknown, callerSignal: AbortSignal | undefined): unknown {
  if (callerSignal?.aborted) return callerSignal.reason;
  if (error instanceof ProviderError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? 'unknown');
  if (code === 'address_refused') return addressRefused();
  const isTimeout =
    timeoutCodes.includes(code) || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));
  const message = isTimeout ? 'the provider did not answer in time' : 'the connection to the provider failed';
  return new ProviderError('transient', message, { code: isTimeout ? 'timeout' : code });
}
