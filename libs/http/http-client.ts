import { Agent } from 'node:http';
import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';
import axios, { AxiosError } from 'axios';

export type HttpClient = {
  /** One request to another service; answers `{status, body}` for any status below 500. */
  request(options: {
    method: 'get' | 'post' | 'put' | 'delete';
    path: string;
    token: string;
    body?: unknown;
  }): Promise<{
    status: number;
    body: unknown;
  }>;
};

/**
 * Calls another service within a request: forwards the internal token, the request id and the trace.
 * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`
 */
export function httpClient({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): HttpClient {
  const client = axios.create({
    baseURL: baseUrl,
    timeout: timeoutMs,
    maxRedirects: 0,
    proxy: false,
    httpAgent: new Agent({ keepAlive: true, maxSockets: 64 }),
    validateStatus: (status) => status < 500,
  });
  return {
    async request({ method, path, token, body }) {
      const { requestId, traceparent } = currentContext.getStore() ?? {};
      const headers = {
        authorization: `Bearer ${token}`,
        ...(requestId ? { 'x-request-id': requestId } : {}),
        ...(traceparent ? { traceparent } : {}),
      };
      try {
        const response = await client.request({
          method,
          url: path,
          headers,
          // Axios's own timeout ends with the first byte of the answer.
          signal: AbortSignal.timeout(timeoutMs),
          ...(body === undefined ? {} : { data: body }),
        });
        return { status: response.status, body: response.data };
      } catch (error) {
        throw failure(error, baseUrl);
      }
    },
  };
}

const lateCodes = ['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED'];

function failure(error: unknown, baseUrl: string): AppError {
  const late = error instanceof AxiosError && lateCodes.includes(error.code ?? '');
  const message = `the service at ${new URL(baseUrl).host} did not answer`;
  return late
    ? new AppError('timeout', 'service_timeout', `${message} in time`, { cause: error })
    : new AppError('unavailable', 'service_unavailable', message, { cause: error });
}
