import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, validateHeaderValue } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addAbortSignal } from 'node:stream';
import axios, { AxiosError } from 'axios';
import { boundedStream, readBounded } from './bounded-stream.ts';
import type { HttpOptions, ProviderDocument } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { fileNameIn, type ProviderResponse, redirectTarget, responseError } from './response.ts';
import { createThirdPartyHttp, type ThirdPartyHttp } from './third-party-http.ts';

/**
 * One call. `path` are segments after the base address, encoded here; `url` is a whole address instead, which gets the key
 * only where it is of the base's origin. An object is sent as JSON, a `FormData` as multipart.
 */
export type ProviderCall = ({ path: string[] } | { url: string }) & {
  method?: 'get' | 'post' | 'put';
  query?: Record<string, string | number | null>;
  headers?: Record<string, string>;
  body?: object;
  signal?: AbortSignal | undefined;
};

export type ProviderHttp = {
  /** The body of a 2xx answer, at most 5 MB. */
  bytes(call: ProviderCall): Promise<Buffer>;
  /** The same, read as JSON; `transient` where it is none. */
  json(call: ProviderCall): Promise<unknown>;
  /** The body of a 2xx answer as a stream of at most 25 MB; `fallbackName` where the answer gives it no name. */
  document(call: ProviderCall, fallbackName: string): Promise<ProviderDocument>;
  /** Whether a document may be fetched from there: from the origin of the API itself, or from a public host over https. */
  mayFetch(url: string): boolean;
};

const maxBodyBytes = 5_000_000;
const maxDocumentBytes = 25_000_000;
const maxRedirects = 3;
const defaultTimeoutMs = 10_000;
const documentTimeFactor = 6;
/** Shorter than the 5 s after which most servers close: a connection is rarely reused while it is being closed. */
const idleConnectionMs = 4_000;

/** One for all clients of the process, which come and go; the key travels with each request, not with the connection. */
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

const publicAddresses = createThirdPartyHttp();

/** HTTP to one provider with one key: bounded in time and size, without redirects to another host, `ProviderError` alone. */
export function createProviderHttp(options: HttpOptions): ProviderHttp {
  const { baseUrl, apiKey, timeoutMs = defaultTimeoutMs, thirdParty: elsewhere = publicAddresses } = options;
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);

  async function run<T>(
    call: ProviderCall,
    limitMs: number,
    read: (answer: ProviderResponse) => Promise<T> | T,
  ): Promise<T> {
    const limit = AbortSignal.timeout(limitMs);
    const signal = call.signal ? AbortSignal.any([limit, call.signal]) : limit;
    try {
      return await read(await answerTo(call, { base, apiKey, elsewhere, signal }));
    } catch (error) {
      throw failureOf(error, call.signal);
    }
  }

  const bytes = (call: ProviderCall) => run(call, timeoutMs, ({ data }) => readBounded(data, maxBodyBytes));
  return {
    bytes,
    json: async (call) => parseJson(await bytes({ ...call, headers: { accept: 'application/json', ...call.headers } })),
    document(call, fallbackName) {
      return run(call, timeoutMs * documentTimeFactor, ({ data, headers }) => ({
        stream: boundedStream(data, maxDocumentBytes, (error) => failureOf(error, call.signal)),
        type: String(headers['content-type'] ?? 'application/octet-stream'),
        name: fileNameIn(headers['content-disposition']) ?? fallbackName,
      }));
    },
    mayFetch: (url) => elsewhere.isAllowed(url) || (URL.canParse(url) && new URL(url).origin === base.origin),
  };
}

type Session = { base: URL; apiKey: string; elsewhere: ThirdPartyHttp; signal: AbortSignal };

/** The answer with a 2xx status, after redirects within the same origin. */
async function answerTo(call: ProviderCall, session: Session): Promise<ProviderResponse> {
  let url = addressOf(call, session.base);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(call, url, session);
    // Without a listener the failure of a stream that nobody reads yet would end the process.
    answer.data.on('error', () => undefined);
    addAbortSignal(session.signal, answer.data);
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status < 300 || answer.status >= 400) {
      throw responseError(answer, await readBounded(answer.data, maxBodyBytes), session.apiKey);
    }
    answer.data.destroy();
    url = redirectTarget(answer, url, redirects < maxRedirects && (call.method ?? 'get') === 'get');
  }
}

async function send(
  call: ProviderCall,
  url: URL,
  { base, apiKey, elsewhere, signal }: Session,
): Promise<ProviderResponse> {
  const isOwn = url.origin === base.origin;
  // An agent asks for no lookup of a literal address: it is looked at here.
  if (!isOwn && !elsewhere.isAllowed(url.href)) throw addressRefused();
  const authorization = isOwn ? { authorization: bearer(apiKey) } : {};
  const request = () =>
    client.request<IncomingMessage>({
      method: call.method ?? 'get',
      url: url.href,
      headers: { ...call.headers, ...authorization },
      ...(isOwn ? {} : { httpsAgent: elsewhere.agent }),
      signal,
      ...(call.body === undefined ? {} : { data: call.body }),
    });
  const { status, headers, data } = await request().catch((error) =>
    lostIdleConnection(error) ? request() : Promise.reject(error),
  );
  return { status, headers, data };
}

function addressRefused(): ProviderError {
  return new ProviderError('refused', 'the provider names an address that is not public', { code: 'address_refused' });
}

/** A key that no header can carry is as good as a wrong one. */
function bearer(apiKey: string): string {
  try {
    validateHeaderValue('authorization', apiKey);
  } catch {
    throw new ProviderError('unauthorized', 'the API key has characters that no API key has');
  }
  return `Bearer ${apiKey}`;
}

function addressOf(call: ProviderCall, base: URL): URL {
  const address = 'url' in call ? new URL(call.url) : new URL(call.path.map(segment).join('/'), base);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== null) address.searchParams.set(name, String(value));
  }
  return address;
}

/** An id that would lead elsewhere in the API is the id of nothing. */
function segment(part: string): string {
  if (/^\.{0,2}$/.test(part)) throw new ProviderError('not_found', 'the provider can have nothing with this id');
  return encodeURIComponent(part);
}

/**
 * The provider closed a kept connection just as it was used: most likely it has not seen the request, so a new connection
 * carries it again. Where it had, nothing happens twice: every call of a provider client may be repeated.
 */
function lostIdleConnection(error: unknown): boolean {
  if (!(error instanceof AxiosError) || error.response) return false;
  const request = error.request as ClientRequest | undefined;
  return request?.reusedSocket === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** @throws ProviderError transient: what is no JSON is no answer of an API, but of something in front of it */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderError('transient', 'the provider answered with something that is no JSON');
  }
}

const lateCodes = ['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED', 'ABORT_ERR'];

/** Nothing of the error goes on but its code: errors of axios carry the request with its headers. */
function failureOf(error: unknown, callerSignal: AbortSignal | undefined): unknown {
  if (callerSignal?.aborted) return callerSignal.reason;
  if (error instanceof ProviderError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? 'unknown');
  if (code === 'address_refused') return addressRefused();
  const late = lateCodes.includes(code) || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));
  const message = late ? 'the provider did not answer in time' : 'the connection to the provider failed';
  return new ProviderError('transient', message, { code: late ? 'timeout' : code });
}
