import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { AppError } from '@app/kernel';
import { closeNow, TcpProxy, testInfra } from '@app/testing';
import { createStorage, type Storage } from '../../index.ts';
import { newKey } from '../../storage.ts';

const away = { kind: 'unavailable', code: 'storage_unavailable' };
const pdf = { name: 'a.pdf', type: 'application/pdf' };
const put = (storage: Storage) => storage.put(Readable.from([Buffer.alloc(200_000)], { objectMode: false }), pdf);
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A storage on an S3 server that gives every request this answer. */
async function s3(answer: RequestListener): Promise<Storage> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const storage = createStorage({ url: `s3://key:secret@127.0.0.1:${port}/bucket?tls=false` });
  ends.push(storage.close, () => closeNow(server));
  return storage;
}

/** A storage in MongoDB, behind a proxy that can refuse connections. */
async function gridFs() {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const target = new URL(proxy.url(testInfra().mongodbUrl));
  target.searchParams.set('serverSelectionTimeoutMS', '300');
  const storage = createStorage({ url: target.href, database: 'outage-of-the-storage' });
  ends.push(storage.close, () => proxy.close());
  return { storage, proxy };
}

/** A storage whose folder is a file. */
async function disk(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'));
  await writeFile(join(folder, 'file'), '');
  ends.push(() => rm(folder, { recursive: true }));
  return createStorage({ url: pathToFileURL(join(folder, 'file')).href });
}

const storages: [what: string, open: () => Promise<Storage>][] = [
  ['S3 that refuses connections', async () => createStorage({ url: 's3://key:secret@127.0.0.1:1/bucket?tls=false' })],
  ['S3 that answers 503', () => s3((_req, res) => void res.writeHead(503).end())],
  ['S3 that answers 500', () => s3((_req, res) => void res.writeHead(500).end())],
  ['S3 that cuts its connections', () => s3((req) => void req.socket.destroy())],
  [
    'GridFS without its MongoDB',
    async () => {
      const { storage, proxy } = await gridFs();
      proxy.refuse();
      return storage;
    },
  ],
  ['a disk that is away', disk],
];

test.each(storages)('%s is an outage, which message handlers wait for', async (_what, open) => {
  const storage = await open();
  const key = newKey();
  for (const work of [() => storage.get(key), () => storage.stat(key), () => put(storage)]) {
    const error: unknown = await work().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ ...away, cause: expect.anything() });
  }
});

test('S3 that goes away in the middle of a file is an outage for its reader', async () => {
  const storage = await s3((_req, res) => {
    res.writeHead(200, { 'content-length': '100000' });
    res.write(Buffer.alloc(50_000), () => res.destroy());
  });
  await expect(buffer(await storage.get(newKey()))).rejects.toMatchObject(away);
});

test('an error of the content that is being stored is no outage of the storage', async () => {
  const storage = await s3((req, res) => void req.resume().on('end', () => res.writeHead(200, { etag: '"a"' }).end()));
  const cut = Object.assign(new Error('the provider cut the connection'), { code: 'ECONNRESET' });
  const content = new Readable({ read: () => content.destroy(cut) });
  await expect(storage.put(content, pdf)).rejects.toBe(cut);
});

test.each([
  ['a missing file', 404, '<Error><Code>NoSuchKey</Code></Error>', { kind: 'not_found' }],
  ['a refused key', 403, '<Error><Code>AccessDenied</Code></Error>', { name: 'AccessDenied' }],
])('%s is no outage', async (_what, status, body, failure) => {
  const storage = await s3((_req, res) => void res.writeHead(status, { 'content-type': 'application/xml' }).end(body));
  const error: unknown = await storage.get(newKey()).catch((reason: unknown) => reason);
  expect(error).toMatchObject(failure);
});
