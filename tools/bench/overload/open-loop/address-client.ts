import { connect, type Socket } from 'node:net';
import { createResponseReader, type Response } from '../../harness/load/response-reader.ts';
import type { Answer } from '../answers.ts';

type Options = { port: number; address: string; maxConnections: number; take: (answer: Answer) => void };
type Request = { bytes: Buffer; since: number };
type Connection = { socket: Socket; current: Request | null };

/** Longer than the platform gives any of its services. */
const giveUpAfterMs = 20_000;

/** All requests from one address, on as many connections as are needed at once, each with one request in flight. */
export class AddressClient {
  readonly #options: Options;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #waiting: Request[] = [];
  #inFlight = 0;
  most = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get pending(): number {
    return this.#inFlight + this.#waiting.length;
  }

  send(bytes: Buffer, since: number): void {
    const request = { bytes, since };
    const idle = this.#idle.pop();
    if (idle) this.#write(idle, request);
    else if (this.#connections.size < this.#options.maxConnections) this.#write(this.#open(), request);
    else this.#waiting.push(request);
  }

  /** Ends the requests that have had no answer for `giveUpAfterMs`. */
  giveUpLate(): void {
    const before = performance.now() - giveUpAfterMs;
    for (const { socket, current } of this.#connections) if (current && current.since < before) socket.destroy();
    for (const request of this.#waiting) if (request.since < before) this.#done(request, null);
    this.#waiting = this.#waiting.filter(({ since }) => since >= before);
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #open(): Connection {
    const { port, address } = this.#options;
    const socket = connect({ host: '127.0.0.1', port, localAddress: address, noDelay: true });
    const connection: Connection = { socket, current: null };
    this.#connections.add(connection);
    this.most = Math.max(this.most, this.#connections.size);
    const read = createResponseReader((response) => this.#answered(connection, response));
    socket.on('data', (data) => {
      try {
        read(data);
      } catch {
        socket.destroy();
      }
    });
    // Whatever went wrong, `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#closed(connection));
    return connection;
  }

  #write(connection: Connection, request: Request): void {
    connection.current = request;
    this.#inFlight += 1;
    connection.socket.write(request.bytes);
  }

  #answered(connection: Connection, response: Response): void {
    const { current, socket } = connection;
    if (!current) return void socket.destroy();
    connection.current = null;
    this.#inFlight -= 1;
    this.#done(current, response);
    if (response.head.includes('\r\nConnection: close')) return void socket.destroy();
    const next = this.#waiting.shift();
    if (next) this.#write(connection, next);
    else this.#idle.push(connection);
  }

  #closed(connection: Connection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    if (connection.current) {
      this.#inFlight -= 1;
      this.#done(connection.current, null);
    }
    const next = this.#waiting.shift();
    if (next) this.#write(this.#open(), next);
  }

  #done({ since }: Request, response: Response | null): void {
    const ms = performance.now() - since;
    this.#options.take({
      at: performance.timeOrigin + since,
      status: response?.status ?? 0,
      ms,
      hasRetryAfter: response?.head.includes('\r\nRetry-After: ') ?? false,
    });
  }
}
