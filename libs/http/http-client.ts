import * as http from 'node:http';
import * as https from 'node:https';
import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';

type Ask = { method: 'get' | 'post' | 'put' | 'delete'; path: string; token: string; body?: unknown };

export type HttpClient = {
  /** One request to another service; answers `{status, body}` for any status below 500. */
  request(options: Ask): Promise<{ status: number; body: unknown }>;
};

/**
 * Calls another service within a request: forwards the internal token, the request id and the trace. On Node's own client
 * (docs/decisions.md): axios costs a caller several times the processor time, and these calls stand in the middle of writes.
 * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`
 */
export function httpClient({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): HttpClient {
  const { protocol, hostname, port, host, pathname } = new URL(baseUrl);
  const { Agent, request: open } = protocol === 'https:' ? https : http;
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  // As a URL has it an IPv6 address stands in brackets, as a socket takes it not.
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port ? { port: Number(port) } : {}),
    agent: new Agent({ keepAlive: true, maxSockets: 64 }),
  };
  const message = `the service at ${host} did not answer`;

  return {
    async request(ask) {
      const body = ask.body === undefined ? undefined : Buffer.from(JSON.stringify(ask.body));
      const headers = headersOf({ host, token: ask.token, body });
      const asked = open({ ...target, method: ask.method.toUpperCase(), path: `${prefix}${ask.path}`, headers });
      let late = false;
      // Whatever it waits for: a connection, the first byte of the answer or the last.
      const timer = setTimeout(() => {
        late = true;
        asked.destroy();
      }, timeoutMs);
      try {
        const answer = await answerTo(asked, body);
        if (answer.status >= 500) throw new Error(`it answered ${answer.status}`);
        return answer;
      } catch (cause) {
        throw late
          ? new AppError('timeout', 'service_timeout', `${message} in time`, { cause })
          : new AppError('unavailable', 'service_unavailable', message, { cause });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

type Answer = { status: number; body: unknown };

/** Names and values in turn, as Node gives and takes them: much cheaper than an object for each request. */
function headersOf({ host, token, body }: { host: string; token: string; body: Buffer | undefined }): string[] {
  const { requestId, traceparent } = currentContext.getStore() ?? {};
  const headers = ['Host', host, 'Accept', 'application/json', 'Authorization', `Bearer ${token}`];
  if (requestId) headers.push('X-Request-Id', requestId);
  if (traceparent) headers.push('traceparent', traceparent);
  if (body) headers.push('Content-Type', 'application/json', 'Content-Length', String(body.length));
  return headers;
}

/** Sends the body and reads the answer: whole, or not at all. A body that there is none of is null. */
function answerTo(asked: http.ClientRequest, body: Buffer | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        try {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode as number, body: text === '' ? null : JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
    });
    asked.end(body);
  });
}
