import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A real forward proxy on loopback. */
export type ForwardProxy = {
  url: URL;
  /** The targets of `CONNECT` requests with their credentials, oldest first. */
  asked: { target: string; authorization: string | undefined }[];
  /** From now on it answers `CONNECT` with this status; null: it connects. For one target, or for all. */
  refuse(status: number | null, target?: string): void;
  close(): Promise<void>;
};

export async function startForwardProxy(): Promise<ForwardProxy> {
  const asked: ForwardProxy['asked'] = [];
  const refused = new Map<string, number | null>();
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('connect', (req: IncomingMessage, client: Socket) => {
    const target = req.url ?? '';
    asked.push({ target, authorization: req.headers['proxy-authorization'] });
    const status = refused.get(target) ?? refused.get('') ?? null;
    if (status !== null) {
      client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 2\r\n\r\nno`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port || 80), hostname.replace(/^\[(.*)\]$/, '$1'));
    upstream.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'));
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://platform:pass%20word@127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
    refuse: (status, target = '') => void refused.set(target, status),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
