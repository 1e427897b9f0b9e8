import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a real server, to simulate outages of that server. */
export class TcpProxy {
  readonly port: number;
  readonly #target: URL;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #refusing = false;
  #frozen = false;
  #maxBytes = Number.POSITIVE_INFINITY;
  #unwanted: string | undefined;
  #last: { text: string; reached(): void } | undefined;

  private constructor(target: URL, server: ReturnType<typeof createServer>) {
    this.#target = target;
    this.#server = server.on('connection', (client: Socket) => this.#accept(client));
    this.port = (server.address() as AddressInfo).port;
  }

  /** Listens on a free port of loopback and forwards to the host and port of `target`. */
  static async start(target: string): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(new URL(target), server);
  }

  /** The given address, with this proxy instead of its host and port. */
  url(address: string): string {
    return address.replace(`${this.#target.hostname}:${this.#target.port}`, `127.0.0.1:${this.port}`);
  }

  /** Ends every connection, like a server that restarts; new ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends every connection and every new one, until `heal`. */
  refuse(): void {
    this.#refusing = true;
    this.cut();
  }

  /** Forwards no byte in either direction, until `heal`. */
  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Freezes in place of forwarding the next chunk from a client that contains this text, which is lost; resolves then. */
  freezeAt(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = { text, reached: resolve };
    return promise;
  }

  /** Sends bytes to every client, as if the server did. */
  say(bytes: Buffer): void {
    for (const client of this.#clients) client.write(bytes);
  }

  /** Ends each new connection after the server has sent this many bytes on it, until `heal`. */
  cutAfter(bytes: number): void {
    this.#maxBytes = bytes;
  }

  /** Drops the next chunk from the server that contains this text. */
  lose(text: string): void {
    this.#unwanted = text;
  }

  heal(): void {
    this.#unwanted = undefined;
    this.#maxBytes = Number.POSITIVE_INFINITY;
    this.#refusing = false;
    this.#frozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    let received = 0;
    upstream.on('data', (chunk) => {
      received += chunk.length;
      if (received > this.#maxBytes) client.destroy();
    });
    this.#forward(client, upstream, (chunk) => this.#isLast(chunk));
    this.#forward(upstream, client, (chunk) => this.#isLost(chunk));
  }

  #isLast(chunk: Buffer): boolean {
    if (!this.#last || !chunk.includes(this.#last.text)) return false;
    this.freeze();
    this.#last.reached();
    this.#last = undefined;
    return true;
  }

  #isLost(chunk: Buffer): boolean {
    if (this.#unwanted === undefined || !chunk.includes(this.#unwanted)) return false;
    this.#unwanted = undefined;
    return true;
  }

  #forward(from: Socket, to: Socket, isLost: (chunk: Buffer) => boolean): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk) => isLost(chunk) || void to.write(chunk));
    if (this.#frozen) from.pause();
  }
}
