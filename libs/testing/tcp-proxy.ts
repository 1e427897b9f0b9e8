import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  port: number;
  /** The address given, with this proxy in place of its host and port. */
  url(target: string): string;
  /** Ends every connection, as a server that is restarted does; new ones are served again. */
  cut(): void;
  /** Ends every connection and any new one, until `heal`. */
  refuse(): void;
  /** Says something to every client, as if the server did. */
  say(bytes: Buffer): void;
  /** Ends each new connection once the server has said so many bytes on it, until `heal`. */
  cutAfter(bytes: number): void;
  /** Lets no byte through either way, until `heal`. */
  freeze(): void;
  heal(): void;
  close(): Promise<void>;
};

/** Stands between a client and a real server, whose outages it plays. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let refusing = false;
  let frozen = false;
  let most = Number.POSITIVE_INFINITY;

  const server = createServer((client) => {
    if (refusing) return client.destroy();
    const upstream = connect(Number(targetPort), hostname);
    clients.add(client);
    client.on('close', () => clients.delete(client));
    let said = 0;
    upstream.on('data', (chunk) => {
      said += chunk.length;
      if (said > most) client.destroy();
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => void to.write(chunk));
      if (frozen) from.pause();
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    url: (address) => address.replace(`${hostname}:${targetPort}`, `127.0.0.1:${port}`),
    cut,
    refuse() {
      refusing = true;
      cut();
    },
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    say(bytes) {
      for (const client of clients) client.write(bytes);
    },
    cutAfter(bytes) {
      most = bytes;
    },
    heal() {
      most = Number.POSITIVE_INFINITY;
      refusing = false;
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
