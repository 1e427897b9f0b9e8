import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { Readable } from 'node:stream';
import { eventually } from '@app/testing';
import { createUrlSigner, type LinkedFile, sendFile } from '../../index.ts';
import { openGridFs } from '../backends/backends.ts';
import { express, serve, type Web } from '../web.ts';

const size = 3 * 1024 * 1024;
const bytes = randomBytes(size);
const links = createUrlSigner({ keys: [{ id: 'a', secret: randomBytes(32) }], baseUrl: 'https://files.example.com' });

let backend: Awaited<ReturnType<typeof openGridFs>>;
let web: Web;
let file: LinkedFile;
const outcomes: Promise<void>[] = [];
const pathTo = (linked: LinkedFile) => new URL(links.sign(linked).url).pathname;
const ask = (headers: Record<string, string> = {}, method = 'GET', linked = file) =>
  fetch(web.url + pathTo(linked), { method, headers });

beforeAll(async () => {
  backend = await openGridFs();
  const app = express();
  app.get('/files/:token', async (req, res) => {
    const sending = sendFile(backend.storage, links.open(req.params.token), req, res);
    outcomes.push(sending);
    await sending;
  });
  web = await serve(app);
  const { key } = await backend.storage.put(Readable.from([bytes]), { name: 'été.pdf', type: 'application/pdf' });
  file = { key, name: 'été.pdf', type: 'application/pdf' };
});
beforeEach(() => {
  outcomes.length = 0;
});
afterAll(async () => {
  await web.stop();
  await backend.close();
});

const common = {
  'accept-ranges': 'bytes',
  'cache-control': 'private',
  'content-security-policy': 'sandbox',
  'content-type': 'application/pdf',
  'content-disposition': `attachment; filename="ete.pdf"; filename*=UTF-8''%C3%A9t%C3%A9.pdf`,
  'x-content-type-options': 'nosniff',
};

test.each(['GET', 'HEAD'])('%s gives the whole file', async (method) => {
  const response = await ask({}, method);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({ ...common, 'content-length': String(size) });
  expect(response.headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
  expect(response.headers.get('etag')).not.toContain(file.key.slice(0, 10));
  const body = Buffer.from(await response.arrayBuffer());
  expect(body.equals(method === 'GET' ? bytes : Buffer.alloc(0))).toBe(true);
});

test.each([
  ['bytes=1000-1999999', 1000, 1_999_999],
  ['bytes=-5', size - 5, size - 1],
])('%s gives that part', async (range, start, end) => {
  const response = await ask({ Range: range });
  expect(response.status).toBe(206);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...common,
    'content-length': String(end - start + 1),
    'content-range': `bytes ${start}-${end}/${size}`,
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true);
});

test('a range outside the file is 416 and says how long the file is', async () => {
  const response = await ask({ Range: `bytes=${size}-` });
  expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
  expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
});

test.each([
  ['several ranges', 'GET', { Range: 'bytes=0-1,5-6' }],
  ['a range of an older copy', 'GET', { Range: 'bytes=0-1', 'If-Range': '"other"' }],
  ['a range since a date', 'GET', { Range: 'bytes=0-1', 'If-Range': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
  ['a range with HEAD', 'HEAD', { Range: 'bytes=0-1' }],
  ['another copy', 'GET', { 'If-None-Match': '"other"' }],
])('%s gives the whole file', async (_what, method, headers) => {
  const response = await ask(headers as Record<string, string>, method);
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(size)]);
  await response.arrayBuffer();
});

test('a cached copy that is still valid is completed, or not sent again', async () => {
  const etag = (await ask({}, 'HEAD')).headers.get('etag') ?? '';
  const part = await ask({ Range: 'bytes=5-9', 'If-Range': etag });
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 5]);
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const response = await ask({ 'If-None-Match': known });
    expect([response.status, await response.text()]).toEqual([304, '']);
  }
});

test('an empty file', async () => {
  const { key } = await backend.storage.put(Readable.from([]), { name: 'x', type: 'image/png' });
  const response = await ask({}, 'GET', { key, name: 'x.png', type: 'image/png' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(await response.text()).toBe('');
});

test('a file that was removed, or a link that was altered, is not found', async () => {
  const { key } = await backend.storage.put(Readable.from([bytes]), file);
  await backend.storage.remove(key);
  const removed = await ask({}, 'GET', { ...file, key });
  expect([removed.status, await removed.json()]).toEqual([404, { code: 'file_not_found' }]);
  expect((await fetch(`${web.url + pathTo(file)}x`)).status).toBe(404);
});

test('a client that disconnects holds no resources, and is no failure', async () => {
  // Larger than what the system takes of a response that nobody reads.
  const { key } = await backend.storage.put(Readable.from([randomBytes(12 * 1024 * 1024)]), file);
  const request = get(web.url + pathTo({ ...file, key }));
  const [response] = (await once(request, 'response')) as [Readable];
  await once(response, 'readable');
  request.destroy();
  await outcomes[0];
  await eventually(async () => expect(await backend.held()).toBe(0));
});

test('if the storage fails midway the response is cut, and the failure is logged', async () => {
  const { key } = await backend.storage.put(Readable.from([bytes]), file);
  await backend.loseTheEndOf(key);
  const response = await ask({}, 'GET', { ...file, key });
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
  await expect(outcomes[0]).rejects.toThrow(/missing/);
});
