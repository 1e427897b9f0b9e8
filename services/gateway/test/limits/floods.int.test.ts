import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from '@app/http';
import { AppError } from '@app/kernel';
import { eventually } from '@app/testing';
import { createBodyReader } from '../../limits/read-body.ts';
import { bearer, exchangeRaw, session, startUpstream } from '../gateway.ts';
import { before, type Options, startWith, stopAfter, stopAll, upload } from '../upstreams.ts';

const tickets = '/api/v3.0/tickets';
const webhook = '/webhooks/invoice-providers/sandbox';
const json = { 'content-type': 'application/json' };

afterEach(stopAll);

async function withWebhooks(options: Options = {}) {
  const connection = await startUpstream();
  stopAfter(connection.close);
  return startWith({ ...options, services: { connection: connection.url } });
}

type Answer = {
  status: number;
  code: string | undefined;
  doc_url: string | undefined;
  headers: IncomingMessage['headers'];
};
type Ask = { from?: string; method?: string; path?: string; headers?: Record<string, string>; body?: string };

/** From an address of this machine that is not that of the flood. */
function ask(port: number, { from = '127.0.0.2', method = 'GET', path = tickets, headers, body }: Ask = {}) {
  const to = { host: '127.0.0.1', port, localAddress: from, method, path, agent: false } as const;
  return new Promise<Answer>((resolve, reject) => {
    const req = request({ ...to, headers: headers ?? bearer() }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () => {
        const { code, doc_url } = JSON.parse(text || '{}') as { code?: string; doc_url?: string };
        resolve({ status: res.statusCode ?? 0, code, doc_url, headers: res.headers });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Sockets that send the head of a request and one byte of its body, and then nothing more; what each received. */
function flood(port: number, count: number, head: string) {
  const received: string[] = [];
  const sockets = Array.from({ length: count }, (_, index): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{`));
    socket.on('data', (chunk) => (received[index] = `${received[index] ?? ''}${chunk}`));
    return socket.on('error', () => undefined);
  });
  stopAfter(async () => {
    for (const socket of sockets) socket.destroy();
  });
  const refused = () => received.filter((text) => text?.startsWith('HTTP/1.1 429 ')).length;
  const open = () => sockets.filter(({ readyState }) => readyState === 'open').length;
  return { sockets, refused, open, received };
}

const anonymous = `POST ${webhook} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;

test('unfinished bodies on public paths do not affect other callers', async () => {
  const limits = { maxInFlight: 20, maxInFlightPerAddress: 30, maxConnectionsPerAddress: 40 };
  const { ports } = await withWebhooks(limits);
  const { refused, open } = flood(ports.ts, 100, anonymous);
  // 30 wait for their bodies; 10 have a connection and are refused; 40 are refused as connections, and the rest may be cut.
  await eventually(() => {
    expect(open()).toBe(40);
    expect(refused()).toBeGreaterThanOrEqual(50);
  });

  expect(await ask(ports.ticket)).toMatchObject({ status: 200 });
  expect(await ask(ports.ts, { method: 'POST', path: webhook, headers: json, body: '{}' })).toMatchObject({
    status: 200,
  });
  await expect(ask(ports.ticket, { from: '127.0.0.1' })).resolves.toMatchObject({
    status: 429,
    code: 'concurrency_limited',
  });
});

test('a request counts as in flight once its body has arrived', async () => {
  const { ports } = await withWebhooks({ maxInFlight: 1 });
  const waiting = flood(ports.ts, 5, anonymous);
  await eventually(() => expect(waiting.open()).toBe(5));
  expect(await ask(ports.ticket, { from: '127.0.0.1' })).toMatchObject({ status: 200 });
  waiting.sockets[0]?.write('x'.repeat(999));
  await eventually(() => expect(waiting.received[0]).toMatch(/^HTTP\/1.1 200 /));
});

test.each([
  ['JSON', json],
  ['a form that nobody is known to send', { 'content-type': 'multipart/form-data; boundary=x' }],
])('%s that is not there in time is 408, and its connection ends', async (_what, headers) => {
  const { ports } = await withWebhooks({ bodyTimeoutMs: 100 });
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = await exchangeRaw(
    ports.ts,
    `POST ${webhook} HTTP/1.1\r\nHost: x\r\n${head.join('')}Content-Length: 1000\r\n\r\n{`,
  );
  expect(text).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
  expect(text).toMatch(/\r\nConnection: close\r\n/i);
});

test('an upload may take longer than the body timeout', async () => {
  const { ports } = await before(undefined, { bodyTimeoutMs: 50 });
  const one = (type: string) => upload(ports.ticket, { 'content-type': type, 'content-length': '10' });
  const form = one('multipart/form-data; boundary=x');
  form.req.write('12345');
  // Begun after the form, and refused before it.
  const small = one('application/json');
  small.req.write('12345');
  expect((await small.answered).statusCode).toBe(408);
  form.req.end('67890');
  expect((await form.answered).statusCode).toBe(200);
});

test('a token has so many requests at once, which are no concern of another', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { ports, upstream } = await before((_req, res) => void held.then(() => res.end('{}')), {
    maxInFlightPerCredential: 2,
  });
  const first = [ask(ports.ticket), ask(ports.ticket)];
  await eventually(() => expect(upstream.connections.size).toBe(2));
  expect(await ask(ports.ticket, { from: '127.0.0.3' })).toMatchObject({
    status: 429,
    code: 'concurrency_limited',
    headers: { 'retry-after': '1' },
  });
  const other = ask(ports.ticket, { headers: bearer(session) });
  await eventually(() => expect(upstream.connections.size).toBe(3));
  release();
  for (const answer of [...first, other]) expect((await answer).status).toBe(200);
  expect(await ask(ports.ticket)).toMatchObject({ status: 200 });
});

test('a connection beyond the limit is refused and closed, and accepted again once another has ended', async () => {
  const { ports } = await startWith({ maxConnectionsPerAddress: 2 });
  const kept = [0, 1].map(() => connect(ports.ticket, '127.0.0.1'));
  stopAfter(async () => void kept.map((socket) => socket.destroy()));
  await Promise.all(kept.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect(await ask(ports.ts, { from: '127.0.0.1', path: '/docs' })).toMatchObject({
    status: 429,
    code: 'concurrency_limited',
    doc_url: 'https://ts.example.com/guide/errors#concurrency_limited',
    headers: { 'retry-after': '1' },
  });
  expect(await ask(ports.ticket)).toMatchObject({ status: 200 });
  kept[0]?.destroy();
  await eventually(async () => expect(await ask(ports.ticket, { from: '127.0.0.1' })).toMatchObject({ status: 200 }));
});

test("behind proxies of ours the client's address counts, and connections are the proxy's own", async () => {
  const options = { trustedProxies: 1, maxConnectionsPerAddress: 1, maxInFlightPerAddress: 2 };
  const { ports } = await withWebhooks(options);
  const waiting = flood(ports.ts, 4, `${anonymous}\r\nX-Forwarded-For: 198.51.100.7`);
  await eventually(() => expect(waiting.refused()).toBe(2));
  const as = (address: string) => ask(ports.ticket, { headers: { ...bearer(), 'x-forwarded-for': address } });
  expect(await as('198.51.100.7')).toMatchObject({ status: 429 });
  expect(await as('198.51.100.8')).toMatchObject({ status: 200 });
});

describe('the memory for bodies', () => {
  /** A server that holds bodies until `release`, and then answers with their lengths. */
  async function holder() {
    const takeBody = createBodyReader({ timeoutMs: 60_000, maxTotalBytes: 3000, maxBytesPerAddress: 2000 });
    const waiting: (() => void)[] = [];
    const server = await listen(
      (req, res) => {
        const tooLarge = () => new AppError('too_large', 'payload_too_large', '');
        const body = { length: 'chunked', maxBytes: 5000, upload: false, tooLarge } as const;
        takeBody({ req, res, body, address: String(req.headers['x-address']) }).then(
          (bytes) => {
            if (!res.destroyed) waiting.push(() => res.end(JSON.stringify({ code: bytes.toString() })));
          },
          (error: AppError) => res.writeHead(500, { connection: 'close' }).end(JSON.stringify({ code: error.kind })),
        );
      },
      { host: '127.0.0.1', port: 0 },
    );
    stopAfter(server.close);
    const send = (address: string, body: string) =>
      ask(server.port, { method: 'POST', headers: { 'x-address': address }, body });
    return { port: server.port, waiting, send, release: () => waiting.splice(0).map((answer) => answer()) };
  }

  test('is bounded for each address and in all, and free again with the answer', async () => {
    const { waiting, send, release } = await holder();
    const first = send('a', 'x'.repeat(1500));
    await eventually(() => expect(waiting).toHaveLength(1));
    expect((await send('a', 'x'.repeat(600))).code).toBe('too_many');
    const second = send('b', 'y'.repeat(1400));
    await eventually(() => expect(waiting).toHaveLength(2));
    expect((await send('c', 'z'.repeat(200))).code).toBe('overloaded');
    release();
    expect([(await first).code?.length, (await second).code?.length]).toEqual([1500, 1400]);
    const again = send('a', 'x'.repeat(2000));
    await eventually(() => expect(waiting).toHaveLength(1));
    release();
    expect((await again).status).toBe(200);
  });

  test('is free again where the client leaves halfway', async () => {
    const { port, waiting, send, release } = await holder();
    const { sockets, open } = flood(port, 1, 'POST / HTTP/1.1\r\nHost: x\r\nX-Address: a');
    await eventually(() => expect(open()).toBe(1));
    sockets[0]?.write('x'.repeat(900));
    // One that fits is answered, so that it holds no memory when the next one comes.
    const found = async () => {
      const one = send('a', 'x'.repeat(1500));
      await Promise.race([one, eventually(() => expect(waiting).toHaveLength(1))]);
      release();
      return (await one).code;
    };
    await eventually(async () => expect(await found()).toBe('too_many'));
    sockets[0]?.destroy();
    await eventually(async () => expect(await found()).toHaveLength(1500));
  });
});
