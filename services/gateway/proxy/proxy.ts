import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { maxIdleMs, type Replicas } from '@app/http';
import { AppError } from '@app/kernel';
import { countStreamedBytes } from '@app/runtime';
import { type Span, startChildSpan } from '@app/runtime/tracing';
import type { Body } from '../limits/body-limit.ts';
import { requestTimeout } from '../limits/read-body.ts';
import { discardRest } from '../responses/discard-rest.ts';
import type { RawHeaders } from './headers.ts';

/** A client that neither sends nor reads anything for this many timeouts is considered gone. */
const clientTimeouts = 6;

type ExchangeTimeout = ReturnType<typeof createExchangeTimeout>;

/**
 * One timer for the two sides of an exchange: it expires after `timeoutMs` of waiting for the
 * service, six times that for the client.
 */
function createExchangeTimeout(timeoutMs: number, onTimeout: (on: 'service' | 'client') => void) {
  let waitingForClient = false;
  let rounds = 0;
  const timer = setTimeout(() => {
    rounds += 1;
    if (!waitingForClient) onTimeout('service');
    else if (rounds >= clientTimeouts) onTimeout('client');
    else timer.refresh();
  }, timeoutMs);
  let stopped = false;
  const waitFor = (client: boolean) => () => {
    // `refresh` would restart a timer that was cleared.
    if (stopped) return;
    waitingForClient = client;
    rounds = 0;
    timer.refresh();
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { waitForService: waitFor(false), waitForClient: waitFor(true), stop };
}

/** Where a service listens, and the error codes for its failing (docs/api.md). */
export type Target = {
  replicas: Replicas;
  port: number;
  /** Its `Host` header. */
  authority: string;
  codes: { unavailable: string; timeout: string };
};

type Forwarding = {
  req: IncomingMessage;
  res: ServerResponse;
  target: Target;
  headers: RawHeaders;
  body: Body;
  /** The whole body; absent: it is streamed from the request. */
  buffered?: Buffer;
  /** In place of the proxy's own `timeoutMs`. */
  timeoutMs?: number;
  responseHeaders: (raw: RawHeaders) => RawHeaders;
  /** Called if there is no response to pass on; never after one has begun. */
  fail: (error: AppError) => void;
};

export type Forwarder = ReturnType<typeof createProxy>;

/**
 * Forwards requests over keep-alive connections. Uploads and responses are streamed with
 * backpressure, so memory holds a few buffers of each. `timeoutMs` is how long a service may keep
 * the gateway waiting: for the headers of its response after the last byte of the request, for
 * accepting more of a body, for the next chunk of a response. Requests are spread over the replicas
 * of the service. One that accepts no connection has not seen the request, which then goes to
 * another.
 */
export function createProxy({ timeoutMs }: { timeoutMs: number }) {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256, timeout: maxIdleMs });
  return {
    forward: (forwarding: Forwarding): void =>
      exchange(forwarding, { agent, timeoutMs, retry: true, tried: new Set() }),
    close: (): void => agent.destroy(),
  };
}

/**
 * How long a replica may take to accept a connection if there is another: at the address of a
 * container that is gone nothing answers, not even a refusal.
 */
const connectTimeoutMs = 500;

/** `tried`: the addresses that accepted no connection. */
type ExchangeOptions = { agent: Agent; timeoutMs: number; retry: boolean; tried: ReadonlySet<string> };

function exchange(forwarding: Forwarding, options: ExchangeOptions): void {
  const { req, res, target, body, fail } = forwarding;
  const { replicas, port, codes } = target;
  // Never undefined: the first call has tried no address, and a repeat is made only if one is left.
  const host = replicas.next(options.tried) as string;
  const { method = 'GET', url: path = '/' } = req;
  const upstream = request({ agent: options.agent, host, port, method, path, headers: forwarding.headers });
  const timeout = createExchangeTimeout(forwarding.timeoutMs ?? options.timeoutMs, (on) =>
    abort(late(on, codes.timeout)),
  );
  const elsewhere = new Set(options.tried).add(host);
  const connection = watchConnection(upstream, () => replicas.next(elsewhere) !== undefined);
  let settled = false;

  /** True for the first outcome only: a response, a failure, a client that left. */
  function settle(): boolean {
    const first = !settled;
    settled = true;
    return first;
  }

  function abort(error: AppError): void {
    if (settle()) fail(error);
    else res.destroy();
    upstream.destroy();
  }

  function clientLeft(): void {
    timeout.stop();
    if (settle() || !res.writableFinished) upstream.destroy();
  }

  upstream.on('response', (response) => {
    if (settle()) passResponse(response, forwarding, { upstream, timeout });
    else response.destroy();
  });
  /** Options for the repeat; null if the request must not be repeated. */
  function retryOptions(): ExchangeOptions | null {
    if (res.destroyed) return null;
    const tried = replicas.next(elsewhere) === undefined ? options.tried : elsewhere;
    if (connection.isMade()) return options.retry && mayRetry(forwarding) ? { ...options, retry: false, tried } : null;
    replicas.failed(host);
    return tried === elsewhere ? { ...options, tried } : null;
  }

  upstream.on('error', (cause) => {
    timeout.stop();
    if (!settle()) return;
    const next = retryOptions();
    if (next) {
      res.off('close', clientLeft);
      exchange(forwarding, next);
    } else fail(new AppError('unavailable', codes.unavailable, 'the service is not available', { cause }));
  });
  res.on('close', clientLeft);

  if (forwarding.buffered || body.length === null) upstream.end(forwarding.buffered);
  // A streamed body can be sent only once, so it waits until a replica has accepted the connection.
  else connection.whenMade(() => streamBody(forwarding, { upstream, timeout, tooLarge: () => abort(body.tooLarge()) }));
}

/** Fails the request if no connection is made in time and `hasOther` says that another replica is left. */
function watchConnection(upstream: ClientRequest, hasOther: () => boolean) {
  let isMade = false;
  let onMade: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  function made(): void {
    isMade = true;
    clearInterval(timer);
    onMade?.();
  }
  upstream.once('socket', (socket) => {
    if (!socket.connecting) return made();
    const giveUp = () => {
      if (!isMade && hasOther()) upstream.destroy(new Error('no connection in time'));
    };
    // One more turn of the event loop: a connection that is made counts, even if this process was too busy to notice.
    timer = setInterval(() => setImmediate(giveUp), connectTimeoutMs);
    socket.once('connect', made);
  });
  upstream.once('close', () => clearInterval(timer));
  return {
    isMade: () => isMade,
    whenMade(run: () => void): void {
      onMade = run;
    },
  };
}

function late(on: 'service' | 'client', code: string): AppError {
  return on === 'service' ? new AppError('timeout', code, 'the service did not answer in time') : requestTimeout();
}

/**
 * A connection may end without a response: it was kept and closes at the moment it is used again, or the replica is killed. The
 * request is then sent once more if it is safe (GET, HEAD, OPTIONS) and has no body; whether anything else was carried out is not
 * known. If there is another replica, to that: one that stops closes all its connections.
 */
function mayRetry({ req, body }: Forwarding): boolean {
  return body.length === null && /^(GET|HEAD|OPTIONS)$/.test(req.method ?? '');
}

type Exchange = { upstream: ClientRequest; timeout: ExchangeTimeout };

/** From the client to the service. */
function streamBody(
  { req, res, body }: Forwarding,
  { upstream, timeout, tooLarge }: Exchange & { tooLarge: () => void },
): void {
  let bytes = 0;
  timeout.waitForClient();
  // Not before the checks have passed: a client that waits for this has sent no body in vain.
  if (req.headers.expect !== undefined) res.writeContinue();
  req.on('data', (chunk: Buffer) => {
    if (upstream.destroyed) return;
    bytes += chunk.length;
    countStreamedBytes(chunk.length);
    if (bytes > body.maxBytes) return tooLarge();
    if (upstream.write(chunk)) return timeout.waitForClient();
    req.pause();
    timeout.waitForService();
    upstream.once('drain', () => {
      timeout.waitForClient();
      req.resume();
    });
  });
  req.on('end', () => {
    timeout.waitForService();
    upstream.end();
  });
}

/** From the service to the client. */
function passResponse(
  response: IncomingMessage,
  { req, res, responseHeaders }: Forwarding,
  { upstream, timeout }: Exchange,
): void {
  timeout.waitForService();
  res.writeHead(response.statusCode as number, responseHeaders(response.rawHeaders));
  response.on('data', (chunk: Buffer) => {
    countStreamedBytes(chunk.length);
    if (res.write(chunk)) return timeout.waitForService();
    response.pause();
    timeout.waitForClient();
    res.once('drain', () => {
      timeout.waitForService();
      response.resume();
    });
  });
  response.on('end', () => {
    timeout.stop();
    // A service may respond before it has read the whole body; it does not want the rest.
    if (!req.complete) upstream.destroy();
    res.end(() => discardRest(req));
  });
  // A truncated response must not look complete: the client's connection is cut without the end of the message.
  response.on('error', () => res.destroy());
}

/** The span of the request to a service, until the response is passed on. Null if the trace is not recorded. */
export function startServiceSpan(method: string, { authority, port }: Target): Span | null {
  const [host] = authority.split(':');
  const attributes = { 'http.request.method': method, 'server.address': host ?? authority, 'server.port': port };
  return startChildSpan({ name: method, kind: 'client', attributes });
}
