import type { AddressPolicy, Resolve } from '@app/ssrf-guard';
import type { Dispatcher } from 'undici';
import { createConnections, type Line } from './connections-client.ts';
import { type Attempt, type AttemptError, statusError } from './delivery.ts';

export type Post = { endpointId: string; url: string; headers: Record<string, string>; body: Uint8Array };

export type ReceiverClient = {
  /** One attempt, bounded in time and size; never rejects. */
  post(post: Post): Promise<Attempt>;
};

type Options = { policy: AddressPolicy; resolve: Resolve; timeoutMs: number };

type Answer = Pick<Attempt, 'statusCode' | 'error' | 'responseBody'>;

/** Reading stops here; what came is enough to tell (design section 11). */
const readBytes = 64 * 1024;
/** Interim answers (1xx) to one request; more of them would only keep this machine busy. */
const mostInterim = 16;
/** A kept connection that is being closed tells so within a round trip; what is lost later, the receiver may have taken up. */
const closingMs = 50;
/** What of it the log keeps. */
const keptBytes = 1024;

/**
 * POSTs to receivers over HTTPS: to an address that was checked, verified against the host name, without redirects,
 * proxies or decompression, and within `timeoutMs` from DNS to the last byte (design section 11).
 */
export function createReceiverClient({ policy, resolve, timeoutMs }: Options): ReceiverClient {
  const connections = createConnections({ policy, resolve, timeoutMs });

  async function send(post: Post, deadline: number): Promise<Answer> {
    const { endpointId, url } = post;
    const line = connections.take(endpointId, url);
    if (line === null) return failed('address_refused');
    const kept = line.used;
    const { answer, lost } = await exchange(line, post, deadline);
    // The receiver closed a kept connection just as it was used: it has not seen the request, so a new one may carry it.
    const second = kept && lost ? connections.take(endpointId, url, true) : null;
    return second === null ? answer : (await exchange(second, post, deadline)).answer;
  }

  /** `lost`: the connection ended at once, without any answer. */
  function exchange(line: Line, { headers, body }: Post, deadline: number): Promise<{ answer: Answer; lost: boolean }> {
    return new Promise((resolve) => {
      const reading = createReading();
      let isOver = false;
      let touched = false;
      let interim = 0;
      const over = (answer: Answer, { reusable = false, lost = false } = {}) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        if (reusable) connections.keep(line);
        else connections.end(line);
        resolve({ answer, lost });
      };
      const started = performance.now();
      const timer = setTimeout(() => over(reading.cut('timeout')), deadline - performance.now());
      const request = { method: 'POST' as const, path: line.path, headers, body };
      line.client.dispatch(request, {
        onRequestStart: () => undefined,
        onResponseStarted() {
          touched = true;
        },
        onResponseStart(_controller, statusCode) {
          // Headers of an interim answer (1xx) come before those that count.
          if (statusCode >= 200) reading.begin(statusCode);
          else if (++interim > mostInterim) over(failed('response_invalid'));
        },
        onResponseData(_controller, chunk) {
          if (reading.add(chunk)) over(reading.end());
        },
        onResponseEnd: () => over(reading.end(), { reusable: true }),
        onResponseError(_controller, error) {
          if (reading.begun()) over(reading.cut('response_incomplete'));
          else {
            const isSoon = performance.now() - started < closingMs;
            over(failed(connectionError(error, touched)), { lost: isSoon && !touched && isLost(error) });
          }
        },
      } satisfies Dispatcher.DispatchHandler);
    });
  }

  return {
    async post(post) {
      const at = new Date();
      const started = performance.now();
      const answer = await send(post, started + timeoutMs);
      return { at, durationMs: Math.round(performance.now() - started), ...answer };
    },
  };
}

function failed(error: AttemptError): Answer {
  return { statusCode: null, error, responseBody: null };
}

/** Takes up a response to its end or its first 64 KB, and keeps the beginning. */
function createReading() {
  const chunks: Buffer[] = [];
  let status: number | null = null;
  let kept = 0;
  let read = 0;
  const text = () => Buffer.concat(chunks).toString('utf8');
  return {
    begun: () => status !== null,
    begin(statusCode: number): void {
      status = statusCode;
    },
    /** True where no more is needed. */
    add(chunk: Buffer): boolean {
      if (kept < keptBytes) {
        // Copied: a part of it would hold all of the buffer that the socket read into.
        const part = Buffer.from(chunk.subarray(0, keptBytes - kept));
        chunks.push(part);
        kept += part.length;
      }
      read += chunk.length;
      return read >= readBytes;
    },
    end: (): Answer => ({ statusCode: status, error: statusError(status ?? 0), responseBody: text() }),
    cut: (error: AttemptError): Answer =>
      status === null ? failed(error) : { statusCode: status, error, responseBody: text() },
  };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

function isLost(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));
}

/** @param answered something came that was no whole head of a response */
function connectionError(error: unknown, answered: boolean): AttemptError {
  const code = codeOf(error);
  if (code === 'address_refused' || code === 'dns_failed') return code;
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) return 'tls_failed';
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || (answered && code.startsWith('UND_ERR_'))) return 'response_invalid';
  return (error as Error).name === 'HTTPParserError' ? 'response_invalid' : 'connection_failed';
}
