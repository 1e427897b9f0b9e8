import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { type TLSSocket } from 'node:tls';
import { type Authority, createAuthority, issueCertificate } from '@app/start/infra';
import { generate } from 'selfsigned';

export type RawReceiver = Awaited<ReturnType<typeof startRawReceiver>>;

let own: Promise<Authority> | undefined;

async function makeTrusted(): Promise<Authority> {
  const dir = await mkdtemp(join(tmpdir(), 'raw-receiver-'));
  const made = await createAuthority(dir);
  await rm(dir, { recursive: true, force: true });
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), ...tls.getCACertificates('extra'), made.cert]);
  return made;
}

const dayMs = 24 * 3_600_000;
/** How a certificate is wrong. */
export const certificates = {
  good: async () => issueCertificate(await trusted(), ['127.0.0.1']),
  otherName: async () => issueCertificate(await trusted(), ['other.example.com']),
  selfSigned: () => certificate({}),
  expired: async () => certificate({ ca: await trusted(), notAfterDate: new Date(Date.now() - dayMs) }),
  notYet: async () => certificate({ ca: await trusted(), notBeforeDate: new Date(Date.now() + dayMs) }),
};

function trusted(): Promise<Authority> {
  own ??= makeTrusted();
  return own;
}

type Wrong = { ca?: Authority; notBeforeDate?: Date; notAfterDate?: Date };

async function certificate({ ca, ...validity }: Wrong): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 10 * dayMs),
    notAfterDate: new Date(Date.now() + 10 * dayMs),
    ...validity,
    ...(ca ? { ca: { key: ca.key, cert: ca.cert } } : {}),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key: made.private, cert: made.cert };
}

/** Sends any bytes when a request begins to arrive. */
export type Say = (socket: TLSSocket) => void;

export async function startRawReceiver(say: Say, kind: keyof typeof certificates = 'good') {
  const sockets = new Set<TLSSocket>();
  let before = 0;
  const server = tls.createServer(await certificates[kind](), (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      before += socket.bytesWritten;
      sockets.delete(socket);
    });
    socket.once('data', () => say(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** Bytes that the connections accepted. */
    written: (): number => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, before),
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Sends a beginning, then the same chunk for ever: as fast as it is read, or once in so many ms. */
export function forever(beginning: string, part: string | Buffer, everyMs = 0): Say {
  return (socket) => {
    const more = () => {
      if (socket.destroyed) return;
      if (everyMs > 0) setTimeout(() => socket.write(part, more), everyMs);
      // Not at once: a write may end within the same turn of the event loop, and this process has to read as well.
      else socket.write(part, () => setImmediate(more));
    };
    socket.write(beginning, more);
  };
}
