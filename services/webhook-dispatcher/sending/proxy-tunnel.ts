import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { promisify } from 'node:util';

/**
 * Opens a connection to the target through the forward proxy. @throws Error with a code: `proxy_failed`, or why the
 * target cannot be reached
 */
export type OpenTunnel = (target: { hostname: string; port: number }) => Promise<Socket>;

/** `lookup` only gives addresses that may be called. `timeoutMs`: for opening a tunnel, DNS included. */
type Options = { proxy: URL; lookup: LookupFunction; timeoutMs: number };
type Address = { address: string; family: number };

/** How many addresses of a name are tried; there is no time for more. */
const maxAddresses = 3;
/**
 * The statuses by which a proxy says that it cannot reach the target. Any other failure is a fault of the proxy or of
 * its settings.
 */
const unreachable = [502, 503, 504];

class TunnelError extends Error {
  readonly code: string;

  constructor(code: 'proxy_failed' | 'ECONNREFUSED', message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Tunnels through a forward proxy by `CONNECT`. The proxy gets an address that was checked, never a name, which it
 * would resolve again, without our check.
 */
export function createTunnels({ proxy, lookup, timeoutMs }: Options): OpenTunnel {
  const resolve = promisify(lookup) as unknown as (name: string, options: { all: true }) => Promise<Address[]>;
  return async ({ hostname, port }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const literal = hostname.replace(/^\[(.*)\]$/, '$1');
    const known = isIP(literal) === 0 ? await resolve(hostname, { all: true }) : [{ address: literal, family: 0 }];
    // IPv4 first: many proxies have no IPv6, and refuse it only when a tunnel is opened.
    const addresses = known.toSorted((a, b) => a.family - b.family).slice(0, maxAddresses);
    let failure: unknown;
    for (const { address } of addresses) {
      try {
        return await connect(proxy, { address, port, signal });
      } catch (error) {
        failure = error;
        if (error instanceof TunnelError && error.code === 'proxy_failed') break;
      }
    }
    throw failure;
  };
}

type Target = { address: string; port: number; signal: AbortSignal };

async function connect(proxy: URL, { address, port, signal }: Target): Promise<Socket> {
  const path = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const [response, socket] = await answerOf(connectRequest(proxy, path, signal));
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return socket;
  socket.destroy();
  const code = unreachable.includes(status) ? 'ECONNREFUSED' : 'proxy_failed';
  throw new TunnelError(code, `the proxy answered CONNECT with ${status}`);
}

function connectRequest(proxy: URL, path: string, signal: AbortSignal): ClientRequest {
  const { username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? {} : { 'Proxy-Authorization': `Basic ${btoa(credentials)}` };
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return request({
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port,
    method: 'CONNECT',
    path,
    headers: { Host: path, ...authorization },
    agent: false,
    signal,
  });
}

async function answerOf(request: ClientRequest): Promise<[IncomingMessage, Socket]> {
  request.end();
  try {
    return (await once(request, 'connect')) as [IncomingMessage, Socket];
  } catch (cause) {
    throw new TunnelError('proxy_failed', 'the proxy did not answer', { cause });
  }
}
