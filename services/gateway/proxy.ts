import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { countStreamedBytes } from '@app/runtime';
import type { Body } from './body-limit.ts';
import type { RawHeaders } from './headers.ts';
import { restLate } from './take-body.ts';
import { type Watch, watch } from './watch.ts';

/** Where a service listens, and how its failing is called where the spec names it otherwise (spec section 7). */
export type Target = {
  hostname: string;
  port: number;
  /** Its `Host` header. */
  authority: string;
  codes: { unavailable: string; timeout: string };
};

export type Forwarding = {
  req: IncomingMessage;
  res: ServerResponse;
  target: Target;
  headers: RawHeaders;
  body: Body;
  /** The body whole, where it was held; else it is streamed from the request. */
  held?: Buffer;
  answerHeaders: (raw: RawHeaders) => RawHeaders;
  /** Answers instead of the service; called only while no answer has begun. */
  fail: (error: AppError) => void;
};

export type Forwarder = { forward(forwarding: Forwarding): void; close(): void };

/** What a client may still send after an answer that did not wait for its body: enough to come to reading that answer. */
const discardedBytes = 32 * 1024 * 1024;
const discardedForMs = 10_000;

/**
 * Passes requests on over kept connections and streams uploads and answers: what one side does not take, the other is not
 * asked for, so that none is ever in memory but for a few buffers. `timeoutMs` is how long a service may keep us waiting: for
 * the headers of its answer from the last byte of the request, for taking more of a body, for the next piece of an answer.
 */
export function createProxy({ timeoutMs }: { timeoutMs: number }): Forwarder {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });
  return {
    forward: (forwarding) => exchange(forwarding, { agent, timeoutMs, retry: true }),
    close: () => agent.destroy(),
  };
}

type Way = { agent: Agent; timeoutMs: number; retry: boolean };

function exchange(forwarding: Forwarding, way: Way): void {
  const { req, res, target, body, fail } = forwarding;
  const { hostname: host, port, codes } = target;
  const { method = 'GET', url: path = '/' } = req;
  const upstream = request({ agent: way.agent, host, port, method, path, headers: forwarding.headers });
  const wait = watch(way.timeoutMs, (on) => end(late(on, codes.timeout)));
  let over = false;

  /** True for the first outcome only: an answer, a failure, a client that left. */
  function settle(): boolean {
    const first = !over;
    over = true;
    return first;
  }

  function end(error: AppError): void {
    if (settle()) fail(error);
    else res.destroy();
    upstream.destroy();
  }

  function left(): void {
    wait.stop();
    if (settle() || !res.writableFinished) upstream.destroy();
  }

  upstream.on('response', (answer) => {
    if (settle()) relay(answer, forwarding, { upstream, wait });
    else answer.destroy();
  });
  upstream.on('error', (cause) => {
    wait.stop();
    if (!settle()) return;
    if (way.retry && mayTryAgain(upstream, forwarding)) {
      res.off('close', left);
      exchange(forwarding, { ...way, retry: false });
    } else fail(new AppError('unavailable', codes.unavailable, 'the service is not available', { cause }));
  });
  res.on('close', left);

  if (forwarding.held || body.length === null) upstream.end(forwarding.held);
  else send(forwarding, { upstream, wait, tooLarge: () => end(body.tooLarge()) });
}

function late(on: 'service' | 'client', code: string): AppError {
  return on === 'service' ? new AppError('timeout', code, 'the service did not answer in time') : restLate();
}

/**
 * A kept connection may end at the very moment we use it. Then nothing was answered and the request can go once more, if
 * it changes nothing and nothing of it is gone: of a POST, a PUT or a DELETE we can't know whether it was carried out.
 */
function mayTryAgain(upstream: ClientRequest, { req, res, body }: Forwarding): boolean {
  return (
    upstream.reusedSocket && body.length === null && !res.destroyed && /^(GET|HEAD|OPTIONS)$/.test(req.method ?? '')
  );
}

type Under = { upstream: ClientRequest; wait: Watch };

/** The body, from the client to the service. */
function send({ req, res, body }: Forwarding, { upstream, wait, tooLarge }: Under & { tooLarge: () => void }): void {
  let bytes = 0;
  wait.forClient();
  // Asked only now that the request is welcome: a client that waits for it has sent no body for nothing.
  if (req.headers.expect !== undefined) res.writeContinue();
  req.on('data', (chunk: Buffer) => {
    if (upstream.destroyed) return;
    bytes += chunk.length;
    countStreamedBytes(chunk.length);
    if (bytes > body.maxBytes) return tooLarge();
    if (upstream.write(chunk)) return wait.forClient();
    req.pause();
    wait.forService();
    upstream.once('drain', () => {
      wait.forClient();
      req.resume();
    });
  });
  req.on('end', () => {
    wait.forService();
    upstream.end();
  });
}

/** The answer, from the service to the client. */
function relay(answer: IncomingMessage, { req, res, answerHeaders }: Forwarding, { upstream, wait }: Under): void {
  wait.forService();
  res.writeHead(answer.statusCode as number, answerHeaders(answer.rawHeaders));
  answer.on('data', (chunk: Buffer) => {
    countStreamedBytes(chunk.length);
    if (res.write(chunk)) return wait.forService();
    answer.pause();
    wait.forClient();
    res.once('drain', () => {
      wait.forService();
      answer.resume();
    });
  });
  answer.on('end', () => {
    wait.stop();
    // A service may answer before it has read everything; the rest of the body is not for it any more.
    if (!req.complete) upstream.destroy();
    res.end(() => discardRest(req));
  });
  // Half an answer must never look whole: the client's connection ends without the end of the message.
  answer.on('error', () => res.destroy());
}

/**
 * Lets a client that is still sending come to an end, so that it reads the answer it has; a connection closed on it at once
 * would be a reset, and the answer lost. Bounded: then it is cut.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req;
  if (req.complete || socket.destroyed) return;
  let bytes = 0;
  const cut = setTimeout(() => socket.destroy(), discardedForMs);
  const over = () => {
    clearTimeout(cut);
    socket.off('close', over);
  };
  req.removeAllListeners('data');
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardedBytes) socket.destroy();
  });
  req.on('end', over);
  // Not the request's own `close`: Node has let go of a request that was answered.
  socket.on('close', over);
  req.resume();
}
