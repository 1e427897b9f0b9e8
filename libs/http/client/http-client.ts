import { isIPv6 } from 'node:net';
import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';
import { inSpan, traceHeaders } from '@app/runtime/tracing';
import { Agent, type Dispatcher } from 'undici';
import { versionIn } from '../routing/etag.ts';
import { createReplicas, type Lookup, type Replicas } from './replicas.ts';

type RequestOptions = {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  /** The internal token of the caller. */
  token: string;
  /** Sent as JSON. */
  body?: unknown;
};

/** `version`: what the response shows, if it has an ETag. */
type Response = { status: number; body: unknown; version?: number | undefined };

export type HttpClient = {
  /** Resolves for any status below 500; `body` is the parsed JSON, null if the response has none. */
  request(options: RequestOptions): Promise<Response>;
};

type ClientOptions = {
  baseUrl: string;
  timeoutMs: number;
  /** Finds the replicas of the service, by default the system's DNS. */
  lookup?: Lookup | undefined;
};

/** Connections to each replica. */
const maxConnections = 64;

/** Longer than a repeated SYN takes: a service that is busy still answers then, one that is gone does not. */
const connectTimeoutMs = 1_500;

/**
 * How long an idle connection to another service is kept, whatever that service allows. Shorter
 * than `DRAIN_DELAY` in production: a service that stops has closed all idle connections by then,
 * so no request is sent on one that it is about to close.
 */
export const maxIdleMs = 4_000;

/**
 * Calls another service while a request is handled: forwards the internal token, the request id and the trace. `timeoutMs`
 * bounds the whole call, from connecting to the last byte of the response. Calls are spread over the replicas of the service; one that
 * accepts no connection has not seen the request, which then goes to another.
 * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`
 */
export function httpClient({ baseUrl, timeoutMs, lookup }: ClientOptions): HttpClient {
  const { protocol, host, hostname, port, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  const replicas = createReplicas(hostname.replace(/^\[|\]$/g, ''), { lookup });
  const originOf = (address: string) =>
    `${protocol}//${isIPv6(address) ? `[${address}]` : address}${port ? `:${port}` : ''}`;
  const agent = new Agent({
    connections: maxConnections,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    connect: { timeout: connectTimeoutMs },
  });
  const message = `the service at ${host} did not answer`;
  const portNumber = Number(port) || (protocol === 'https:' ? 443 : 80);

  async function ask({ method, path, token, body }: RequestOptions): Promise<Response> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const options = {
        method: method.toUpperCase() as Uppercase<typeof method>,
        path: `${prefix}${path}`,
        headers: { host, ...headersOf(token, body) },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      };
      const response = await untilConnected(replicas, (address) =>
        agent.request({ origin: originOf(address), ...options }),
      );
      const text = await response.body.text();
      if (response.statusCode >= 500) throw new Error(`it answered ${response.statusCode}`);
      const { statusCode: status, headers } = response;
      return { status, body: text === '' ? null : JSON.parse(text), version: versionIn(headers['etag']) };
    } catch (cause) {
      throw signal.aborted
        ? new AppError('timeout', 'service_timeout', `${message} in time`, { cause })
        : new AppError('unavailable', 'service_unavailable', message, { cause });
    }
  }

  return {
    request(options) {
      const method = options.method.toUpperCase();
      const attributes = { 'http.request.method': method, 'server.address': hostname, 'server.port': portNumber };
      return inSpan({ name: method, kind: 'client', attributes }, async (span) => {
        const response = await ask(options);
        span.setAttribute('http.response.status_code', response.status);
        return response;
      });
    },
  };
}

const connectFailures = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** Tries one replica after the other until one accepts a connection. @throws what the last one failed with */
async function untilConnected(
  replicas: Replicas,
  ask: (address: string) => Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const tried = new Set<string>();
  for (let address = replicas.next() as string; ; ) {
    try {
      return await ask(address);
    } catch (error) {
      if (!connectFailures.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      replicas.failed(address);
      tried.add(address);
      const another = replicas.next(tried);
      if (another === undefined) throw error;
      address = another;
    }
  }
}

function headersOf(token: string, body: unknown): Record<string, string> {
  const { requestId } = currentContext.getStore() ?? {};
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(requestId ? { 'x-request-id': requestId } : {}),
    ...traceHeaders(),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}
