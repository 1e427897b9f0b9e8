import { type AddressPolicy, createSafeLookup, type Resolve } from '@app/runtime/ssrf-guard';
import { buildConnector, Client } from 'undici';
import { InterimAnswers } from './interim-answers.ts';
import { createTunnels, type OpenTunnel } from './proxy-tunnel.ts';

/** A connection to a receiver. It carries one request at a time. */
export type PooledConnection = {
  client: Client;
  path: string;
  interim: InterimAnswers;
  /** It has carried a request before: the receiver may be closing it just as it is used again. */
  used: boolean;
};

export type PoolOptions = {
  policy: AddressPolicy;
  resolve: Resolve;
  /** The limit for opening a connection. */
  timeoutMs: number;
  /** The forward proxy that all connections go through; null: none. */
  proxy?: URL | null;
  /** Shorter than the 5 s after which most servers close: a connection is rarely reused while it is being closed. */
  idleTimeoutMs?: number;
};

/** The connections of one endpoint to its URL. */
type Receiver = {
  endpointId: string;
  url: URL;
  idle: OpenConnection[];
  open: number;
  connect: buildConnector.connector;
};
type OpenConnection = PooledConnection & { receiver: Receiver; openedAt: number };

/** A connection is replaced after this time, however busy it is: its host name is resolved and checked again. */
const maxAgeMs = 60_000;
/** Receivers behind gateways that set policies and cookies have more than the usual 16 KB. */
const maxHeaderSize = 64 * 1024;

/**
 * Keep-alive connections per endpoint: a connection opened for one company never carries events of another. Each goes to
 * an address that was checked when it was opened, and is verified against the host name. undici's own pool knows origins
 * and not endpoints, and does not say which connection a request failed on.
 */
export class ConnectionPool {
  readonly #policy: AddressPolicy;
  readonly #timeoutMs: number;
  readonly #idleTimeoutMs: number;
  readonly #lookup: ReturnType<typeof createSafeLookup>;
  readonly #openTunnel: OpenTunnel | null;
  readonly #receivers = new Map<string, Receiver>();

  constructor({ policy, resolve, timeoutMs, proxy = null, idleTimeoutMs = 4_000 }: PoolOptions) {
    this.#policy = policy;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#lookup = createSafeLookup({ policy, resolve, timeoutMs });
    this.#openTunnel = proxy && createTunnels({ proxy, lookup: this.#lookup, timeoutMs });
  }

  /**
   * An idle connection or a new one; with `fresh` always a new one. Null if the URL must not be called. Each has to be
   * returned by `release` or `destroy`.
   */
  acquire(endpointId: string, url: string, fresh = false): PooledConnection | null {
    const receiver = this.#receiverOf(endpointId, url);
    return receiver && ((fresh ? undefined : receiver.idle.pop()) ?? this.#open(receiver));
  }

  /** Keeps a connection for the next request. */
  release(given: PooledConnection): void {
    const connection = given as OpenConnection;
    const { receiver } = connection;
    connection.used = true;
    const isOld = performance.now() - connection.openedAt > maxAgeMs;
    if (isOld || this.#receivers.get(receiver.endpointId) !== receiver) this.destroy(connection);
    else receiver.idle.push(connection);
  }

  destroy(given: PooledConnection): void {
    const { receiver, client } = given as OpenConnection;
    receiver.open -= 1;
    if (receiver.open === 0 && this.#receivers.get(receiver.endpointId) === receiver)
      this.#receivers.delete(receiver.endpointId);
    client.destroy().catch(() => undefined);
  }

  #receiverOf(endpointId: string, url: string): Receiver | null {
    const known = this.#receivers.get(endpointId);
    if (known?.url.href === url) return known;
    // The lookup is not asked about a literal address, and the policy may have changed since the endpoint was created.
    if (this.#policy.violation(url) !== null) return null;
    // A connector for each endpoint: it keeps TLS sessions, which must not be resumed for another endpoint.
    const options = { lookup: this.#lookup, timeout: this.#timeoutMs, allowH2: false, autoSelectFamily: true };
    const parsed = new URL(url);
    // The dot that may end a host name is no part of a server's name in TLS (RFC 6066, 3).
    const servername = parsed.hostname.endsWith('.') ? { servername: parsed.hostname.slice(0, -1) } : {};
    const direct = buildConnector({ ...options, ...servername });
    const connect = this.#openTunnel ? through(this.#openTunnel, direct) : direct;
    const receiver = { endpointId, url: parsed, idle: [], open: 0, connect };
    this.#receivers.set(endpointId, receiver);
    return receiver;
  }

  #open(receiver: Receiver): OpenConnection {
    const { url, connect } = receiver;
    const interim = new InterimAnswers();
    const client = new Client(url.origin, {
      connect: (options, callback) =>
        connect(options, (...given) => {
          if (given[1]) interim.filter(given[1]);
          callback(...given);
        }),
      maxHeaderSize,
      keepAliveTimeout: this.#idleTimeoutMs,
      keepAliveMaxTimeout: this.#idleTimeoutMs,
      // The caller bounds the time of a whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const path = url.pathname + url.search;
    const connection = { client, receiver, path, interim, used: false, openedAt: performance.now() };
    receiver.open += 1;
    client.on('disconnect', () => {
      const index = receiver.idle.indexOf(connection);
      if (index === -1) return;
      receiver.idle.splice(index, 1);
      this.destroy(connection);
    });
    return connection;
  }
}

/** TLS is with the receiver, inside the tunnel: the proxy sees only the address. */
function through(openTunnel: OpenTunnel, direct: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    openTunnel({ hostname: options.hostname, port: Number(options.port || 443) }).then(
      (httpSocket) => direct({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
