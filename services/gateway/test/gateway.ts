import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Principal } from '@app/contracts';
import { createRateLimit, internalTokenSigner } from '@app/http';
import { aCaller, ampleMs, closeNow, testKeys, testLogger, verifyTestToken } from '@app/testing';
import { createGateway, type Deps } from '../app.ts';
import type { HostName, ServiceName } from '../routing/routes.ts';

const publicUrls = {
  ticket: 'https://api.example.com',
  ts: 'https://ts.example.com',
  download: 'https://files.example.com',
};
export const apiToken = 'tok_good';
export const session = 'session-of-somebody';
export const caller = aCaller();

/** What a service was asked, as it came. */
export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; raw: string[]; body: string };

export type Upstream = { url: string; asked: Asked[]; connections: Set<Socket>; close(): Promise<void> };

/** A fake service: a real HTTP server. Without a handler it echoes the request. */
export async function startUpstream(handle?: RequestListener): Promise<Upstream> {
  const asked: Asked[] = [];
  const connections = new Set<Socket>();
  const server = createServer(handle ?? ((req, res) => repeat(req, res, asked)));
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connections,
    close: () => closeNow(server),
  };
}

type Reply = { status: number; body: object };
type Answering = (asked: Asked) => Promise<Reply | null>;

function repeat(req: IncomingMessage, res: ServerResponse, asked: Asked[], answer?: Answering): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', async () => {
    const { method = '', url = '', headers, rawHeaders: raw } = req;
    const received = { method, url, headers, raw, body: Buffer.concat(chunks).toString() };
    asked.push(received);
    const { status, body } = (await answer?.(received)) ?? { status: 200, body: { asked: received } };
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

type Identity = Upstream & { good: Map<string, Principal> };

/** Answers as identity does, about the credentials that the test made good. */
async function startIdentity(): Promise<Identity> {
  const good = new Map<string, Principal>([
    [`bearer ticket ${apiToken}`, { kind: 'caller', caller }],
    [`bearer ticket ${session}`, { kind: 'caller', caller }],
    [`bearer ts ${session}`, { kind: 'caller', caller }],
    [`cookie ts ${session}`, { kind: 'caller', caller }],
  ]);
  const upstream = await startUpstream((req, res) => {
    repeat(req, res, identity.asked, async ({ url, body }) => {
      if (url !== '/internal/credentials') return null;
      const { kind, value, host } = JSON.parse(body);
      const principal = good.get(`${kind} ${host} ${value}`);
      return principal
        ? { status: 200, body: { principal, expiresAt: null } }
        : { status: 401, body: { error: 'no', code: 'unauthorized' } };
    });
  });
  const identity = { ...upstream, good };
  return identity;
}

/** Memory for 100,000 callers takes 10 ms to allocate, and most tests start a gateway of their own. */
const capacity = 1_000;

type Options = Partial<Omit<Deps, 'services'>> & {
  services?: Partial<Record<ServiceName, string>>;
  rateLimitPerMinute?: number;
  rateLimitPerCompany?: number;
};

/** The gateway itself, each host on a port of its own, before upstreams that the test may replace. */
export async function startGateway({
  services = {},
  rateLimitPerMinute = 10_000,
  rateLimitPerCompany = 100_000,
  ...options
}: Options = {}) {
  const { now = Date.now } = options;
  const ticket = await startUpstream();
  const identity = await startIdentity();
  const logger = testLogger();
  const gateway = createGateway({
    services: new Map(Object.entries({ identity: identity.url, ticket: ticket.url, ...services }) as never),
    publicUrls,
    sign: internalTokenSigner(testKeys.private),
    logger,
    rateLimit: createRateLimit({ perMinute: rateLimitPerMinute, now, capacity }),
    companyRateLimit: createRateLimit({ perMinute: rateLimitPerCompany, now, capacity }),
    maxInFlight: 1000,
    maxInFlightPerAddress: 250,
    maxInFlightPerCredential: 100,
    maxConnectionsPerAddress: 1000,
    upstreamTimeoutMs: 15_000,
    identityTimeoutMs: ampleMs,
    trustedProxies: 0,
    logAccess: () => undefined,
    accessLogSampleRate: 1,
    allowedOrigins: '',
    ...options,
  });
  const at = { host: '127.0.0.1', port: 0 };
  const ports: Record<HostName | 'shared', number> = {
    ticket: await gateway.listen(['ticket'], at),
    ts: await gateway.listen(['ts'], at),
    download: await gateway.listen(['download'], at),
    shared: await gateway.listen(['ticket', 'ts', 'download'], at),
  };
  return {
    gateway,
    ticket,
    identity,
    logger,
    ports,
    call: (host: HostName | 'shared', method: string, path: string, given: Given = {}) =>
      call({ port: ports[host], method, path, ...given }),
    async close() {
      await Promise.all([gateway.close(), ticket.close(), identity.close()]);
    },
  };
}

export type Answer = {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  body: Record<string, unknown>;
};
type Given = { headers?: Record<string, string | string[]>; body?: string | Buffer };

/** One request with its path exactly as given: `fetch` would normalise it. */
function call({
  port,
  method,
  path,
  headers = {},
  body,
}: Given & { port: number; method: string; path: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = /json/.test(res.headers['content-type'] ?? '') && text !== '';
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text, body: json ? JSON.parse(text) : {} });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Writes bytes and gives what comes back until the other side ends the connection. */
export function exchangeRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

export const bearer = (token = apiToken) => ({ authorization: `Bearer ${token}` });
export const withCookie = (token = session) => ({ cookie: `__Host-session=${token}` });

/** The principal of the internal token that a service received. */
export function principalOf({ headers }: Asked): Promise<Principal> {
  return verifyTestToken(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
}
