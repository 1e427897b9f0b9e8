import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeNow } from '@app/testing';
import { createProviderHttp } from '../../http/http-client.ts';

const servers: Server[] = [];
const seen: IncomingMessage[] = [];

async function serving(handler: RequestListener): Promise<string> {
  const server = createServer((req, res) => {
    seen.push(req);
    handler(req, res);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const http = (baseUrl: string, timeoutMs = 20_000) =>
  createProviderHttp({ baseUrl, credentials: { apiKey: 'the-key' }, timeoutMs });

async function sizeOf(stream: AsyncIterable<Buffer>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

afterEach(async () => {
  seen.length = 0;
  await Promise.all(servers.splice(0).map(closeNow));
});

test.each(['', '/', '/api/v2', '/api/v2/'])('paths go behind the base address %j, encoded', async (base) => {
  const url = await serving((_req, res) => res.end('{}'));
  await http(`${url}${base}`).json({ path: ['invoices', 'a/b c'], query: { cursor: null, since: '1+2' } });
  expect(seen[0]?.url).toBe(`${base.replace(/\/$/, '')}/invoices/a%2Fb%20c?since=1%2B2`);
  expect(seen[0]?.headers.authorization).toBe('Bearer the-key');
});

test('a redirect within the host is followed with the key', async () => {
  const url = await serving((req, res) => {
    if (req.url === '/old') res.writeHead(301, { location: '/new' }).end();
    else res.end('{"here":true}');
  });
  expect(await http(url).json({ path: ['old'] })).toEqual({ here: true });
  expect(seen.map((req) => req.headers.authorization)).toEqual(['Bearer the-key', 'Bearer the-key']);
});

test('a POST is not sent to another address: its redirect is refused', async () => {
  const url = await serving((_req, res) => void res.writeHead(307, { location: '/new' }).end());
  await expect(http(url).json({ method: 'post', path: ['old'], body: {} })).rejects.toMatchObject({ kind: 'refused' });
  expect(seen).toHaveLength(1);
});

test('documents are fetched from the API itself, and from public hosts over https', async () => {
  const url = 'http://127.0.0.1:4010';
  expect(
    ['https://files.example.com/a', `${url}/a`, 'http://127.0.0.1:4011/a', 'file:///etc/passwd', 'nonsense'].map(
      http(url).mayFetch,
    ),
  ).toEqual([true, true, false, false, false]);
});

test('a document streams: it is not read ahead, and a reader that stops closes the connection', async () => {
  let written = 0;
  const chunk = Buffer.alloc(64 * 1024);
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const url = await serving((_req, res) => {
    res.writeHead(200, {
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="../a b.pdf"`,
    });
    const more = () => {
      written += chunk.length;
      if (!res.destroyed && written < 20_000_000) res.write(chunk, more);
    };
    more();
    res.on('close', gone);
  });
  const { stream, type, name } = await http(url).document({ path: ['file'] }, 'fallback.pdf');
  expect({ type, name }).toEqual({ type: 'application/pdf', name: 'a b.pdf' });
  for await (const _first of stream) break;
  await closed;
  expect(written).toBeLessThan(20_000_000);
});

test('a document that nobody reads frees its connection when it is destroyed', async () => {
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const url = await serving((_req, res) => {
    res.writeHead(200).write('never ending');
    res.on('close', gone);
  });
  const { stream, name } = await http(url).document({ path: ['file'] }, 'fallback.pdf');
  expect(name).toBe('fallback.pdf');
  stream.destroy();
  await closed;
});

test('a document of 25 MB is read, one byte more is refused', async () => {
  const url = await serving((req, res) => void res.end(Buffer.alloc(req.url === '/fits' ? 25_000_000 : 25_000_001)));
  const read = async (path: string) => sizeOf((await http(url).document({ path: [path] }, 'f')).stream);
  expect(await read('fits')).toBe(25_000_000);
  await expect(read('more')).rejects.toMatchObject({ name: 'ProviderError', kind: 'refused', code: 'too_large' });
});

test('an answer of 5 MB is read, one byte more is refused, also if it was compressed', async () => {
  const { gzipSync } = await import('node:zlib');
  const bodies: Record<string, Buffer> = {
    '/fits': Buffer.alloc(5_000_000, ' '),
    '/more': Buffer.alloc(5_000_001, ' '),
    '/bomb': gzipSync(Buffer.alloc(50_000_000, ' ')),
  };
  const url = await serving((req, res) => {
    res.writeHead(200, req.url === '/bomb' ? { 'content-encoding': 'gzip' } : {}).end(bodies[req.url ?? '']);
  });
  expect((await http(url).bytes({ path: ['fits'] })).length).toBe(5_000_000);
  for (const path of ['more', 'bomb']) {
    await expect(http(url).bytes({ path: [path] })).rejects.toMatchObject({ kind: 'refused', code: 'too_large' });
  }
});

test('a document whose connection breaks, or that is too slow, fails its reader with a transient error', async () => {
  const url = await serving((req, res) => {
    res.writeHead(200, { 'content-length': '100' });
    res.write('half', () => void (req.url === '/cut' && res.destroy()));
  });
  for (const [path, timeoutMs] of [
    ['cut', 20_000],
    ['slow', 50],
  ] as const) {
    const read = async () => sizeOf((await http(url, timeoutMs).document({ path: [path] }, 'f')).stream);
    await expect(read()).rejects.toMatchObject({ name: 'ProviderError', kind: 'transient' });
  }
});

test('an idle connection that the provider closes is replaced without a failure', async () => {
  const url = await serving((req, res) => {
    res.end('{}');
    if (req.url === '/first') setImmediate(() => req.socket.destroy());
  });
  for (let round = 0; round < 20; round += 1) {
    await http(url).json({ path: ['first'] });
    await http(url).json({ path: ['second'] });
  }
  expect(seen.length).toBeGreaterThanOrEqual(40);
});
