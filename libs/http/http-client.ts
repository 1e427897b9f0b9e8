import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';
import { Pool } from 'undici';

type RequestOptions = {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  /** The internal token of the caller. */
  token: string;
  /** Sent as JSON. */
  body?: unknown;
};

export type HttpClient = {
  /** Resolves for any status below 500; `body` is the parsed JSON, null if the response has none. */
  request(options: RequestOptions): Promise<{ status: number; body: unknown }>;
};

const maxConnections = 64;

/**
 * Calls another service while a request is handled: forwards the internal token, the request id and the trace. `timeoutMs`
 * bounds the whole call, from connecting to the last byte of the response.
 * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`
 */
export function httpClient({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): HttpClient {
  const { origin, host, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  const pool = new Pool(origin, { connections: maxConnections });
  const message = `the service at ${host} did not answer`;

  return {
    async request({ method, path, token, body }) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const response = await pool.request({
          method: method.toUpperCase() as Uppercase<typeof method>,
          path: `${prefix}${path}`,
          headers: headersOf(token, body),
          body: body === undefined ? null : JSON.stringify(body),
          signal,
        });
        const text = await response.body.text();
        if (response.statusCode >= 500) throw new Error(`it answered ${response.statusCode}`);
        return { status: response.statusCode, body: text === '' ? null : JSON.parse(text) };
      } catch (cause) {
        throw signal.aborted
          ? new AppError('timeout', 'service_timeout', `${message} in time`, { cause })
          : new AppError('unavailable', 'service_unavailable', message, { cause });
      }
    },
  };
}

function headersOf(token: string, body: unknown): Record<string, string> {
  const { requestId, traceparent } = currentContext.getStore() ?? {};
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(requestId ? { 'x-request-id': requestId } : {}),
    ...(traceparent ? { traceparent } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}
