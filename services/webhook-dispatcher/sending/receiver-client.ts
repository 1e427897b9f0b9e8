import type { Dispatcher } from 'undici';
import { type Attempt, type AttemptError, statusError } from '../attempt.ts';
import { ConnectionPool, type PooledConnection, type PoolOptions } from './connection-pool.ts';

type Options = PoolOptions & {
  /**
   * A kept connection that the receiver had closed fails within a round trip. If it fails later, the
   * receiver may have processed the request.
   */
  closingMs?: number;
};

type WebhookRequest = { endpointId: string; url: string; headers: Record<string, string>; body: Uint8Array };

export type ReceiverClient = ReturnType<typeof createReceiverClient>;

type Answer = Pick<Attempt, 'statusCode' | 'error' | 'responseBody'>;

/** Reading stops here; the rest of the response is not needed. */
const maxReadBytes = 64 * 1024;
/** The part of an answer that the log keeps. */
const maxLoggedBytes = 1024;

/**
 * POSTs to receivers over HTTPS: to a checked address, with the certificate verified against the host name, without
 * redirects or decompression, through no proxy but that of the settings, and within `timeoutMs` from DNS to the last
 * byte.
 */
export function createReceiverClient({ closingMs = 50, ...options }: Options) {
  const { timeoutMs } = options;
  // Longer than the attempt, which ends as a time-out whatever it was at: DNS, the proxy or the connection.
  const pool = new ConnectionPool({ ...options, timeoutMs: timeoutMs + 1_000 });

  async function send(request: WebhookRequest, deadline: number): Promise<Answer> {
    const { endpointId, url } = request;
    const connection = pool.acquire(endpointId, url);
    if (connection === null) return failed('address_refused');
    const wasUsed = connection.used;
    const { answer, lost } = await sendRequest({ pool, connection, request, deadline, closingMs });
    if (!wasUsed || !lost) return answer;
    // The receiver closed a kept connection just as it was used. It has not seen the request, so
    // the request is sent again on a new connection.
    const second = pool.acquire(endpointId, url, true);
    return second ? (await sendRequest({ pool, connection: second, request, deadline, closingMs })).answer : answer;
  }

  return {
    /** One attempt that begins at `at`, bounded in time and size; never rejects. */
    async post(request: WebhookRequest, at: Date = new Date()): Promise<Attempt> {
      const started = performance.now();
      const answer = await send(request, started + timeoutMs);
      return { at, durationMs: Math.round(performance.now() - started), ...answer };
    },
  };
}

type Exchange = {
  pool: ConnectionPool;
  connection: PooledConnection;
  request: WebhookRequest;
  deadline: number;
  closingMs: number;
};

/** `lost`: the connection ended at once, without any answer. */
function sendRequest({
  pool,
  connection,
  request,
  deadline,
  closingMs,
}: Exchange): Promise<{ answer: Answer; lost: boolean }> {
  return new Promise((resolve) => {
    const reader = createResponseReader();
    let isOver = false;
    let hasAnswered = false;
    const end = (answer: Answer, { reusable = false, lost = false } = {}) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (reusable) pool.release(connection);
      else pool.destroy(connection);
      resolve({ answer, lost });
    };
    const started = performance.now();
    const timer = setTimeout(() => end(reader.abort('timeout')), deadline - started);
    const { headers, body } = request;
    connection.interim.expect();
    connection.client.dispatch({ method: 'POST', path: connection.path, headers, body }, {
      onRequestStart: () => undefined,
      onResponseStarted() {
        hasAnswered = true;
      },
      onResponseStart(_controller, statusCode) {
        if (statusCode >= 200) reader.start(statusCode);
        else end(failed('response_invalid'));
      },
      onResponseData(_controller, chunk) {
        if (reader.read(chunk)) end(reader.finish());
      },
      onResponseEnd: () => end(reader.finish(), { reusable: true }),
      onResponseError(_controller, error) {
        if (reader.isStarted()) end(reader.abort('response_incomplete'));
        else {
          const isSoon = performance.now() - started < closingMs;
          end(failed(connectionError(error, hasAnswered)), { lost: isSoon && !hasAnswered && isConnectionLoss(error) });
        }
      },
    } satisfies Dispatcher.DispatchHandler);
  });
}

function failed(error: AttemptError): Answer {
  return { statusCode: null, error, responseBody: null };
}

/** Reads a response to its end or its first 64 KB, and keeps the first 1 KB. */
function createResponseReader() {
  const chunks: Buffer[] = [];
  let status: number | null = null;
  let keptBytes = 0;
  let readBytes = 0;
  const text = () => Buffer.concat(chunks).toString('utf8');
  return {
    isStarted: () => status !== null,
    start(statusCode: number): void {
      status = statusCode;
    },
    /** True if no more is needed. */
    read(chunk: Buffer): boolean {
      if (keptBytes < maxLoggedBytes) {
        // Copied: a slice would keep the whole buffer that the socket read into.
        const part = Buffer.from(chunk.subarray(0, maxLoggedBytes - keptBytes));
        chunks.push(part);
        keptBytes += part.length;
      }
      readBytes += chunk.length;
      return readBytes >= maxReadBytes;
    },
    finish: (): Answer => ({ statusCode: status, error: statusError(status ?? 0), responseBody: text() }),
    abort: (error: AttemptError): Answer =>
      status === null ? failed(error) : { statusCode: status, error, responseBody: text() },
  };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

function isConnectionLoss(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));
}

/** @param hasAnswered something came, but no whole head of a response */
function connectionError(error: unknown, hasAnswered: boolean): AttemptError {
  const code = codeOf(error);
  if (code === 'address_refused' || code === 'dns_failed' || code === 'proxy_failed') return code;
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) return 'tls_failed';
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || (hasAnswered && code.startsWith('UND_ERR_'))) return 'response_invalid';
  return (error as Error).name === 'HTTPParserError' ? 'response_invalid' : 'connection_failed';
}
