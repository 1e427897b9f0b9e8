import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What is wrong between a client and a server: nothing passes, everything is cut, or everything is late. */
export type Trouble = 'hang' | 'drop' | 'delay';

const lateMs = 500;

type Connection = { client: string; server: string; sockets: Socket[] };

/** Who can reach whom. Every connection of the platform passes through a link of this network. */
export class Network {
  readonly #troubles = new Map<string, { trouble: Trouble; over: Promise<void>; end: () => void; times: number }>();
  readonly #connections = new Set<Connection>();
  readonly #servers: Server[] = [];

  /** `times`: how many connections were cut, and how many pieces of data held up. */
  disturb(client: string, server: string, trouble: Trouble): { end(): void; times(): number } {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const key = `${client} ${server}`;
    const disturbance = { trouble, over, end: resolve, times: 0 };
    this.#troubles.set(key, disturbance);
    if (trouble === 'drop') disturbance.times += this.#cut(client, server);
    return {
      end: () => {
        this.#troubles.delete(key);
        resolve();
      },
      times: () => disturbance.times,
    };
  }

  /** Ends every connection between the two. @returns how many */
  #cut(client: string, server: string): number {
    const hit = [...this.#connections].filter((one) => one.client === client && one.server === server);
    for (const { sockets } of hit) for (const socket of sockets) socket.destroy();
    return hit.length;
  }

  /**
   * Listens on a port of loopback (by default a free one) and forwards to the first of `targets()` that accepts.
   * @param clientOf names the client by its first bytes: every protocol here lets the client speak first
   */
  async link(options: {
    server: string;
    clientOf: (first: Buffer) => string;
    targets: () => number[];
    port?: number;
  }): Promise<number> {
    const listener = createServer((socket) => void this.#serve(socket, options));
    this.#servers.push(listener);
    listener.listen(options.port ?? 0, '127.0.0.1');
    await once(listener, 'listening');
    return (listener.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const { end } of this.#troubles.values()) end();
    this.#troubles.clear();
    for (const { sockets } of this.#connections) for (const socket of sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #serve(
    socket: Socket,
    { server, clientOf, targets }: { server: string; clientOf: (first: Buffer) => string; targets: () => number[] },
  ): Promise<void> {
    socket.setNoDelay(true);
    // Whatever went wrong, `close` follows.
    socket.on('error', () => undefined);
    const connection: Connection = { client: '', server, sockets: [socket] };
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      for (const other of connection.sockets) other.destroy();
    });
    const first = await firstBytes(socket);
    if (!first) return;
    connection.client = clientOf(first);
    if (!(await this.#passes(connection))) return void socket.destroy();
    const upstream = await connectToFirst(targets());
    if (!upstream) return void socket.destroy();
    connection.sockets.push(upstream);
    upstream.once('close', () => socket.destroy());
    if (socket.destroyed) return void upstream.destroy();
    upstream.write(first);
    void this.#pump(connection, socket, upstream);
    void this.#pump(connection, upstream, socket);
  }

  async #pump(connection: Connection, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        if (!(await this.#passes(connection)) || to.destroyed) break;
        if (!to.write(chunk as Buffer)) await firstOf(to, ['drain', 'close']);
      }
      to.end();
    } catch {
      // The other side learns of it by its own end.
      to.destroy();
    }
  }

  /** Resolves once bytes may pass; to false if they never will. */
  async #passes({ client, server }: Connection): Promise<boolean> {
    for (;;) {
      const found = this.#troubles.get(`${client} ${server}`);
      if (!found) return true;
      found.times += 1;
      if (found.trouble === 'drop') return false;
      if (found.trouble === 'delay') {
        await delay(lateMs);
        return true;
      }
      await found.over;
    }
  }
}

/** Null if the client disconnects before it sends anything. */
async function firstBytes(socket: Socket): Promise<Buffer | null> {
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk) return chunk;
    if (socket.destroyed || socket.readableEnded) return null;
    await firstOf(socket, ['readable', 'end', 'close']);
  }
}

/** Resolves at the first of these events. */
function firstOf(socket: Socket, events: string[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) socket.off(event, done);
      resolve();
    };
    for (const event of events) socket.on(event, done);
  });
}

async function connectToFirst(ports: number[]): Promise<Socket | null> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    // From here on errors are followed by `close`.
    socket.on('error', () => undefined);
    if (connected) return socket;
  }
  return null;
}
