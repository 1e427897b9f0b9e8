import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { createReplicas, listen } from '@app/http';
import { AppError } from '@app/kernel';
import { eventually } from '@app/testing';
import { createProxy } from '../../proxy/proxy.ts';
import { apiToken, bearer, exchangeRaw, startUpstream } from '../gateway.ts';
import { before, startWith, stopAfter, stopAll, upload } from '../upstreams.ts';

const path = '/api/v3.0/tickets';
const mb = 1024 * 1024;
const multipart = { 'content-type': 'multipart/form-data; boundary=x' };

afterEach(stopAll);

describe('a large body', () => {
  test('is not held: a service that takes nothing holds the client back', async () => {
    let bytes = 0;
    let go = (): void => undefined;
    const upstream = await startUpstream((req, res) => {
      req.on('end', () => res.end('{}'));
      go = () => void req.on('data', (chunk: Buffer) => (bytes += chunk.length));
    });
    stopAfter(upstream.close);
    const total = 128 * mb;
    const { port } = await forwarder(upstream.url, total);
    const { req, answered } = upload(port, { 'content-length': String(total) });
    const sent = write(req, total);
    await eventually(() => expect(upstream.connections.size).toBe(1));
    // The system may buffer up to 36 MB for each of the two connections; nothing else buffers.
    expect(await settled(sent)).toBeLessThan(96 * mb);
    go();
    expect((await answered).statusCode).toBe(200);
    expect(bytes).toBe(total);
  });

  test('arrives as it was sent', async () => {
    const hash = createHash('sha256');
    const { ports } = await before((req, res) => {
      req.on('data', (chunk: Buffer) => hash.update(chunk)).on('end', () => res.end('{}'));
    });
    const body = randomBytes(5 * mb);
    for (const length of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
      const { req, answered } = upload(ports.ticket, { ...multipart, ...length } as Record<string, string>);
      req.end(body);
      expect((await answered).statusCode).toBe(200);
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).update(body).digest('hex'));
  });

  test('of an answer waits for a client that reads slowly', async () => {
    let sent = 0;
    const total = 64 * mb;
    const piece = Buffer.alloc(64 * 1024);
    const { ports } = await before((_req, res) => {
      const more = () => {
        while (sent < total) {
          sent += piece.length;
          if (!res.write(piece)) return void res.once('drain', more);
        }
        res.end();
      };
      res.writeHead(200, { 'content-length': String(total) });
      more();
    });
    const socket = connect(ports.ticket, '127.0.0.1');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiToken}\r\nConnection: close\r\n\r\n`);
    expect(await settled(() => sent)).toBeLessThan(32 * mb);
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length));
    socket.resume();
    await eventually(() => expect(received).toBeGreaterThan(total));
    socket.destroy();
  });

  // Which lengths are too large: headers.test.ts.
  test('that is too large by its length is refused before it is sent', async () => {
    const { ports, upstream } = await before();
    const form = `Content-Type: ${multipart['content-type']}\r\nContent-Length: ${22 * mb}`;
    const text = await exchangeRaw(
      ports.ticket,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiToken}\r\n${form}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 413 .*"file_too_large"/s);
    expect(upstream.asked).toEqual([]);
  });

  test.each([
    ['JSON', { 'content-type': 'application/json' }, 2, 'not asked'],
    ['a file', multipart, 24, 'cut'],
  ])('%s of unknown length is counted, and refused where it grows too large', async (_, headers, size, expected) => {
    let service = 'not asked';
    const { ports } = await before((req) => {
      service = 'asked';
      req.resume().on('close', () => (service = req.complete ? 'answered' : 'cut'));
    });
    const { req, answered } = upload(ports.ticket, { ...headers, 'transfer-encoding': 'chunked' });
    write(req, size * mb);
    expect((await answered).statusCode).toBe(413);
    await eventually(() => expect(service).toBe(expected));
    req.destroy();
  });

  test.each(['keep-alive', 'close'])(
    'that a service refuses halfway is read to its end, so that its client gets the answer: Connection: %s',
    async (connection) => {
      const { ports } = await before((req, res) => {
        req.once('data', () => res.writeHead(415, { 'content-type': 'application/json' }).end('{"code":"file_type"}'));
      });
      const socket = connect({ port: ports.ticket, host: '127.0.0.1', allowHalfOpen: true });
      const send = (bytes: string | Buffer) =>
        new Promise<void>((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      socket.on('error', () => undefined);
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${apiToken}`,
        `Content-Type: ${multipart['content-type']}`,
        `Connection: ${connection}`,
        `Content-Length: ${16 * mb}`,
      ];
      await send(`${head.join('\r\n')}\r\n\r\n`);
      await send(Buffer.alloc(mb));
      await eventually(() => expect(text).toMatch(/^HTTP\/1.1 415 .*file_type/s));
      for (let sent = mb; sent < 16 * mb; sent += mb) await send(Buffer.alloc(mb));
      socket.end();
      await once(socket, 'close');
    },
  );

  test.each([
    ['a PDF', { 'content-type': 'application/pdf' }],
    ['no type at all', {}],
  ])(
    'of %s, where a file is taken, is for the service to refuse: a form without one, not JSON too large',
    async (_, type) => {
      const purchase = await startUpstream((_req, res) => {
        res.writeHead(400, { 'content-type': 'application/json' }).end('{"code":"purchase_file_required"}');
      });
      stopAfter(purchase.close);
      const { call } = await startWith({ services: { purchase: purchase.url } });
      const headers = { ...bearer(), ...type };
      const at = `${path}/0123456789abcdef01234567/purchases/0123456789abcdef01234567`;
      const answer = await call('ticket', 'POST', `${at}/document`, { headers, body: Buffer.alloc(3 * mb) });
      expect([answer.status, answer.body['code']]).toEqual([400, 'purchase_file_required']);
      expect((await call('ticket', 'PATCH', at, { headers, body: Buffer.alloc(3 * mb) })).status).toBe(413);
    },
  );

  test('of a client that asks first is sent only where it is welcome', async () => {
    const { ports } = await before();
    const ask = (token: string) => {
      const headers = { ...bearer(token), expect: '100-continue', 'content-length': '5' };
      const req = request({ host: '127.0.0.1', port: ports.ticket, method: 'POST', path, headers });
      let continued = false;
      req.on('continue', () => {
        continued = true;
        req.end('12345');
      });
      req.flushHeaders();
      return new Promise((resolve, reject) => {
        req.on('error', reject);
        req.on('response', (res) => {
          res.resume();
          resolve([res.statusCode, continued]);
          if (!continued) req.destroy();
        });
      });
    };
    expect(await ask(apiToken)).toEqual([200, true]);
    expect(await ask('tok_bad')).toEqual([401, false]);
  });
});

/** A server that only forwards, and accepts a body of any length. */
async function forwarder(url: string, maxBytes: number) {
  const { hostname, port, host: authority } = new URL(url);
  const codes = { unavailable: 'service_unavailable', timeout: 'service_timeout' };
  const target = { replicas: createReplicas(hostname), port: Number(port), authority, codes };
  const proxy = createProxy({ timeoutMs: 30_000 });
  const server = await listen(
    (req, res) =>
      proxy.forward({
        req,
        res,
        target,
        headers: ['Host', authority, 'Content-Length', String(req.headers['content-length'])],
        body: { length: maxBytes, maxBytes, upload: true, tooLarge: () => new AppError('too_large', 'too_large', '') },
        responseHeaders: (raw) => raw,
        fail: () => res.destroy(),
      }),
    { host: '127.0.0.1', port: 0 },
  );
  stopAfter(async () => {
    proxy.close();
    await server.close();
  });
  return server;
}

/** Writes so many bytes as fast as they are accepted; returns how many were. */
function write(req: ClientRequest, total: number): () => number {
  const piece = Buffer.alloc(64 * 1024);
  let sent = 0;
  const more = () => {
    while (sent < total) {
      sent += piece.length;
      if (!req.write(piece)) return void req.once('drain', more);
    }
    req.end();
  };
  more();
  return () => sent;
}

/**
 * Resolves to the value once it has not changed for a while, far longer than it takes to fill a
 * buffer.
 */
async function settled(value: () => number): Promise<number> {
  let last = -1;
  let unchanged = 0;
  while (unchanged < 10) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    unchanged = value() === last && last > 0 ? unchanged + 1 : 0;
    last = value();
  }
  return last;
}

describe('requests that two machines could read as two', () => {
  const start = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiToken}\r\n`;
  const smuggled = 'GET /internal/credentials HTTP/1.1\r\nHost: x\r\n\r\n';

  test.each([
    ['length and encoding', `${start}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['two lengths', `${start}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`],
    ['an encoding we do not know', `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['an encoding in an encoding', `${start}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `${start}X: a\r\n Transfer-Encoding: chunked\r\n\r\n`],
    ['a space before the colon', `${start}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['no host', `GET ${path} HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer ${apiToken}\r\n\r\n`],
    ['no HTTP', 'GET / HT\r\n\r\n'],
  ])('%s: 400 as JSON, and nothing reaches the service', async (_, bytes) => {
    const { ports, ticket } = await startWith();
    const text = await exchangeRaw(ports.ticket, bytes);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toMatch(/\r\nX-Request-Id: [\w-]+\r\n/);
    const { error, code, doc_url } = JSON.parse(text.split('\r\n\r\n')[1] ?? '');
    expect([error, code]).toEqual([expect.any(String), expect.any(String)]);
    expect(doc_url).toBe(`https://api.example.com/guide/errors#${code}`);
    expect(ticket.asked).toEqual([]);
  });

  test('headers beyond all measure: 431', async () => {
    const { ports } = await startWith();
    const text = await exchangeRaw(ports.ts, `${start}X: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 431 /);
    expect(text).toContain(
      '"code":"headers_too_large","doc_url":"https://ts.example.com/guide/errors#headers_too_large"',
    );
  });

  test('a body in chunks arrives whole, whatever the chunks', async () => {
    const { ports, ticket } = await startWith();
    const chunked = `${start}Connection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const many = Array.from({ length: 300 }, (_, n) => `${(n % 7) + 1}\r\n${'x'.repeat((n % 7) + 1)}\r\n`).join('');
    await exchangeRaw(ports.ticket, `${chunked}1;x=y\r\n"\r\n${many}1\r\n"\r\n0\r\nX-Trailer: dropped\r\n\r\n`);
    const whole = `"${many.replace(/[^x]/g, '')}"`;
    expect(ticket.asked.map(({ body, headers }) => [body, headers['transfer-encoding']])).toEqual([[whole, 'chunked']]);
  });
});
