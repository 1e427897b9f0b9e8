import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import axios, { AxiosError } from 'axios';
import { type Attempt, type AttemptError, statusError } from './delivery.ts';
import type { Resolve } from './dns-client.ts';
import type { AddressPolicy } from './safe-address.ts';

export type Post = { endpointId: string; url: string; headers: Record<string, string>; body: Uint8Array };

export type ReceiverClient = {
  /** One attempt, bounded in time and size; never rejects. */
  post(post: Post): Promise<Attempt>;
};

type Options = { policy: AddressPolicy; resolve: Resolve; timeoutMs: number };

type Answer = Pick<Attempt, 'statusCode' | 'error' | 'responseBody'>;

/** Reading stops here; what came is enough to tell (design section 11). */
const readBytes = 64 * 1024;
/** What of it the log keeps. */
const keptBytes = 1024;
/** Shorter than the 5 s after which most servers close: a connection is rarely reused while it is being closed. */
const idleConnectionMs = 4_000;
const rememberedAgents = 2_000;

/** A name that may not be called, or has no address; `code` comes through axios. */
class LookupError extends Error {
  readonly code: 'address_refused' | 'dns_failed';

  constructor(code: LookupError['code'], options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/**
 * POSTs to receivers over HTTPS: to an address that was checked, verified against the host name, without redirects,
 * proxies or decompression, and within `timeoutMs` from DNS to the last byte (design section 11).
 */
export function createReceiverClient({ policy, resolve, timeoutMs }: Options): ReceiverClient {
  const client = axios.create({
    adapter: 'http',
    maxRedirects: 0,
    proxy: false,
    decompress: false,
    responseType: 'stream',
    maxBodyLength: Number.POSITIVE_INFINITY,
    validateStatus: () => true,
    transformRequest: [(data) => data],
  });
  /** One per endpoint: a connection opened for one company never carries another's events. Oldest use first. */
  const agents = new Map<string, Agent>();

  function agentOf(endpointId: string): Agent {
    const lookup: LookupFunction = (hostname, options, callback) => {
      checkedAddresses(hostname).then(
        (found) => (options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error) => callback(error, []),
      );
    };
    const agent = agents.get(endpointId) ?? new Agent({ keepAlive: true, timeout: idleConnectionMs, lookup });
    agents.delete(endpointId);
    agents.set(endpointId, agent);
    // A forgotten agent ends by itself: its running requests go on, its idle connections time out.
    if (agents.size > rememberedAgents) agents.delete(agents.keys().next().value as string);
    return agent;
  }

  async function checkedAddresses(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(hostname, AbortSignal.timeout(timeoutMs)).catch((cause) => {
      throw new LookupError('dns_failed', { cause });
    });
    if (addresses.length === 0) throw new LookupError('dns_failed');
    if (addresses.some((address) => policy.refuses(address))) throw new LookupError('address_refused');
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }

  async function send({ endpointId, url, headers, body }: Post, signal: AbortSignal): Promise<Answer> {
    // `lookup` is not called for a literal address, and the policy may have changed since the registration.
    if (policy.faultOf(url) !== null) return failed('address_refused');
    const post = () => client.post(url, body, { headers, signal, httpsAgent: agentOf(endpointId) });
    try {
      const response = await post().catch((error) => (lostIdleConnection(error) ? post() : Promise.reject(error)));
      return await answerOf(response.data as IncomingMessage, response.status, signal);
    } catch (error) {
      return failed(signal.aborted ? 'timeout' : connectionError(error));
    }
  }

  return {
    async post(post) {
      const at = new Date();
      const started = performance.now();
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      const answer = await send(post, limit.signal);
      clearTimeout(timer);
      return { at, durationMs: Math.round(performance.now() - started), ...answer };
    },
  };
}

function failed(error: AttemptError): Answer {
  return { statusCode: null, error, responseBody: null };
}

/** The receiver closed a kept connection just as it was used: it has not seen the request, so a new one may carry it. */
function lostIdleConnection(error: unknown): boolean {
  if (!(error instanceof AxiosError) || error.response) return false;
  const request = error.request as ClientRequest | undefined;
  return request?.reusedSocket === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Reads the body to its end or its first 64 KB, whichever comes first. */
async function answerOf(response: IncomingMessage, statusCode: number, signal: AbortSignal): Promise<Answer> {
  const chunks: Buffer[] = [];
  let kept = 0;
  let read = 0;
  let error = statusError(statusCode);
  const cut = () => response.destroy();
  signal.addEventListener('abort', cut);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (kept < keptBytes) chunks.push(chunk.subarray(0, keptBytes - kept));
      kept = Math.min(keptBytes, kept + chunk.length);
      read += chunk.length;
      if (read >= readBytes) break;
    }
    if (read < readBytes && !response.complete) error = incomplete(signal);
  } catch {
    error = incomplete(signal);
  } finally {
    signal.removeEventListener('abort', cut);
  }
  return { statusCode, error, responseBody: Buffer.concat(chunks).toString('utf8') };
}

function incomplete(signal: AbortSignal): AttemptError {
  return signal.aborted ? 'timeout' : 'response_incomplete';
}

function connectionError(error: unknown): AttemptError {
  const code = String((error as { code?: unknown }).code);
  if (code === 'address_refused' || code === 'dns_failed') return code;
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'response_invalid' : 'connection_failed';
}
