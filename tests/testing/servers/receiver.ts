import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { type Authority, type Certificate, createAuthority, issueCertificate } from '@app/start/infra';
import { closeNow } from './close-now.ts';

/** A request as it arrived: `body` is the raw bytes, which a signature covers. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer; at: Date };

/** What the receiver does with a request whose body it has read. */
export type Behaviour = (req: IncomingMessage, res: ServerResponse, received: Received) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Misbehaviour = 'hang' | 'drip' | 'cut' | 'reset' | 'endless';

/** How receivers answer, and how they misbehave. */
export const behaviours: Record<'ok' | Misbehaviour, Behaviour> = {
  ok: (_req, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('thank you'),
  hang: () => undefined,
  /** Headers at once, then a byte now and then, without end. */
  drip(_req, res) {
    res.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => res.write('.'), 50);
    res.on('close', () => clearInterval(timer));
  },
  /** Promises more than it sends. */
  cut(_req, res) {
    res.writeHead(200, { 'content-length': '1000' });
    res.write('half', () => res.destroy());
  },
  /** Ends the connection without an answer. */
  reset: (req) => void req.socket.destroy(),
  /** A body without end, as fast as it is taken. */
  endless(_req, res) {
    res.writeHead(200, { 'content-type': 'text/plain' });
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const more = () => void (res.destroyed || res.write(chunk, more));
    more();
  },
};

/** Answers with a status, and a body and headers if given. */
export function answer(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  return (_req, res) => void res.writeHead(status, headers).end(body);
}

let own: Promise<Authority> | undefined;

/**
 * An authority that this process trusts from now on, in place of one of an earlier test file in the
 * same process: of two with the same name only the first would be used.
 */
function ownAuthority(): Promise<Authority> {
  own ??= makeTrusted();
  return own;
}

async function makeTrusted(): Promise<Authority> {
  const dir = await mkdtemp(join(tmpdir(), 'receiver-'));
  try {
    const made = await createAuthority(dir);
    tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), ...tls.getCACertificates('extra'), made.cert]);
    return made;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A certificate for a server that is called by these names and addresses, which this process trusts. */
export async function trustedCertificate(hosts: string[]): Promise<Certificate> {
  return issueCertificate(await ownAuthority(), hosts);
}

/**
 * A real HTTPS server on loopback, for subscribers of webhooks, with a certificate that this process trusts.
 * @param hosts further names and addresses that the certificate is for
 * @param trusted where the authority is kept that others trust already; without it, this process trusts one of its own
 */
export async function startReceiver(hosts: string[] = [], trusted?: string) {
  const authority = await (trusted === undefined ? ownAuthority() : createAuthority(trusted));
  const certificate = await issueCertificate(authority, ['127.0.0.1', 'localhost', ...hosts]);
  const received: Received[] = [];
  const byPath = new Map<string, Behaviour>();
  let byDefault: Behaviour = behaviours.ok;
  let connections = 0;

  const server = createServer(certificate, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = req.url ?? '/';
      const request = { path, headers: req.headers, body: Buffer.concat(chunks), at: new Date() };
      received.push(request);
      (byPath.get(path) ?? byDefault)(req, res, request);
    });
  });
  // Longer than a busy machine lets a connection rest between two requests.
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    /** Its address by IP, or by another name that it was given a certificate for. */
    url: (path: string = '/', host: string = '127.0.0.1'): string => `https://${host}:${port}${path}`,
    port,
    /** Everything that arrived, oldest first. */
    received,
    /** What arrived at a path, oldest first. */
    at: (path: string): Received[] => received.filter((request) => request.path === path),
    /** Connections accepted so far, with or without a request. */
    connections: (): number => connections,
    /** Sets the behaviour at a path; without a path, at all those that have none of their own. */
    behave(behaviour: Behaviour, path?: string): void {
      if (path === undefined) byDefault = behaviour;
      else byPath.set(path, behaviour);
    },
    close: (): Promise<void> => closeNow(server),
  };
}
