import { createHash, randomBytes } from 'node:crypto';
import { eventually } from '@app/testing';
import type { Request } from 'express';
import { createStorage, receiveUpload, type Upload, type UploadOptions } from '../../index.ts';
import { type Backend, openGridFs } from '../backends/backends.ts';
import { dial, express, serve, type Web } from '../web.ts';

const limit = 20 * 1024 * 1024;
const pdf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-'), randomBytes(bytes - 5)]);
const small = pdf(1000);
const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46', 'hex');

let backend: Backend;
let web: Web;
/** How each request that reached the handler ended. */
const outcomes: Promise<Upload>[] = [];
/** Holds requests at the door until it is opened. */
let door = Promise.resolve();
let arrived: Request | undefined;

beforeAll(async () => {
  backend = await openGridFs();
  const broken = createStorage({ url: 'file:///dev/null/folder' });
  const app = express();
  const handle = (options: UploadOptions, storage = backend.storage) =>
    app.post(`/${app.get('routes') ?? ''}`, async (req, res) => {
      arrived = req;
      await door;
      const receiving = receiveUpload(req, res, storage, options);
      outcomes.push(receiving);
      const { fields, file } = await receiving;
      res.json({ fields, file });
    });
  handle({});
  app.set('routes', 'optional');
  handle({ required: false });
  app.set('routes', 'own-codes');
  handle({ field: 'doc', maxBytes: 1000, codes: { tooLarge: 'a', type: 'b', required: 'c' } });
  app.set('routes', 'broken');
  handle({}, broken);
  web = await serve(app);
});
beforeEach(() => {
  outcomes.length = 0;
});
afterEach(async () => {
  for await (const { key } of backend.storage.list({ olderThan: new Date(Date.now() + 60_000) })) {
    await backend.storage.remove(key);
  }
});
afterAll(async () => {
  await web.stop();
  await backend.close();
});

type Part = [name: string, value: string | Buffer, fileName?: string];

async function send(parts: Part[], path = '/'): Promise<{ status: number; body: Record<string, unknown> }> {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), fileName ?? 'order.pdf');
  }
  const response = await fetch(web.url + path, { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function storedFiles(): Promise<number> {
  let count = 0;
  for await (const _file of backend.storage.list({ olderThan: new Date(Date.now() + 60_000) })) count += 1;
  return count;
}

const nothingIsLeft = () =>
  eventually(async () => expect([await storedFiles(), await backend.traces()]).toEqual([0, 0]));

describe('accepted uploads', () => {
  test.each([
    ['a PDF', small, 'application/pdf'],
    ['a PNG', png, 'image/png'],
    ['a JPEG', jpeg, 'image/jpeg'],
    ['a PDF of 5 bytes', small.subarray(0, 5), 'application/pdf'],
    ['a PDF of exactly 20 MB', pdf(limit), 'application/pdf'],
  ])('%s is stored, whatever its name says', async (_what, bytes, type) => {
    const { status, body } = await send([['file', bytes, 'été.txt']]);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file = { key: expect.any(String), name: 'été.txt', size: bytes.length, type, hash };
    expect([status, body]).toEqual([200, { fields: {}, file }]);
    const { key } = body['file'] as { key: string };
    expect(await backend.storage.stat(key)).toMatchObject({ size: bytes.length });
  });

  test('text fields before and after the file', async () => {
    const { body } = await send([
      ['reference', 'D-12 é'],
      ['file', small],
      ['price', '12.50'],
      ['note', ''],
    ]);
    expect(body['fields']).toEqual({ reference: 'D-12 é', price: '12.50', note: '' });
  });

  test('a name without its folders and control characters', async () => {
    const { body } = await send([['file', small, '../../a/b\n "c".pdf']]);
    expect(body['file']).toMatchObject({ name: 'b "c".pdf' });
  });

  test('20 text fields of 64 KiB', async () => {
    const fields: Part[] = Array.from({ length: 20 }, (_, n) => [`f${n}`, 'x'.repeat(64 * 1024)]);
    expect(await send([...fields, ['file', small]])).toMatchObject({ status: 200 });
  });

  test('no file where none is required', async () => {
    expect(await send([['reference', 'a']], '/optional')).toEqual({
      status: 200,
      body: { fields: { reference: 'a' } },
    });
    const empty = await fetch(`${web.url}/optional`, { method: 'POST' });
    expect(await empty.json()).toEqual({ fields: {} });
  });

  test('an upload can be taken back', async () => {
    await send([['file', small]]);
    expect(await storedFiles()).toBe(1);
    const upload = await outcomes[0];
    await upload?.discard();
    await upload?.discard();
    await nothingIsLeft();
  });
});

describe('refused uploads leave nothing', () => {
  const refused: [what: string, parts: Part[], status: number, answer: object, path?: string][] = [
    ['one byte more than 20 MB', [['file', pdf(limit + 1)]], 413, { code: 'file_too_large' }],
    ['a text named .pdf', [['file', Buffer.from('hello')]], 415, { code: 'file_type' }],
    ['a long text', [['file', Buffer.alloc(limit + 100, 'a')]], 415, { code: 'file_type' }],
    ['half a mark', [['file', Buffer.from('%PDF')]], 415, { code: 'file_type' }],
    ['an empty file', [['file', Buffer.alloc(0)]], 415, { code: 'file_type' }],
    ['no file', [['reference', 'a']], 400, { code: 'file_required' }],
    ['a text in the field of the file', [['file', '%PDF-1.7']], 400, { code: 'file_required' }],
    ['a file without a name', [['file', `%PDF-1.7${'x'.repeat(100_000)}`]], 400, { code: 'file_required' }],
    ['another field', [['document', small]], 400, { code: 'file_required' }],
    [
      'two files',
      [
        ['file', small],
        ['file', small],
      ],
      400,
      { code: 'file_required' },
    ],
    [
      'a file in another field too',
      [
        ['file', small],
        ['other', small],
      ],
      400,
      { code: 'file_required' },
    ],
    [
      'a field given twice',
      [
        ['file', small],
        ['a', '1'],
        ['a', '2'],
      ],
      422,
      { errors: [{ path: 'a' }] },
    ],
    [
      'a nested field',
      [
        ['a[b]', '1'],
        ['file', small],
      ],
      422,
      { errors: [{ path: 'a[b]' }] },
    ],
    [
      'a field too long',
      [
        ['a', 'x'.repeat(65_537)],
        ['file', small],
      ],
      422,
      { errors: [{ path: 'a' }] },
    ],
    [
      '21 fields',
      [['file', small], ...Array.from({ length: 21 }, (_, n): Part => [`f${n}`, ''])],
      400,
      { code: 'invalid_multipart' },
    ],
    ['too large, under its own code', [['doc', pdf(1001)]], 413, { code: 'a' }, '/own-codes'],
    ['the type, under its own code', [['doc', Buffer.from('text')]], 415, { code: 'b' }, '/own-codes'],
    ['no file, under its own code', [['file', small]], 400, { code: 'c' }, '/own-codes'],
    ['a file where storage fails', [['file', small]], 502, { code: 'storage_unavailable' }, '/broken'],
    ['a large file where storage fails', [['file', pdf(limit)]], 502, { code: 'storage_unavailable' }, '/broken'],
  ];
  test.each(refused.map(([what, ...rest]) => ({ what, rest })))('$what', async ({ rest }) => {
    const [parts, status, answer, path] = rest;
    expect(await send(parts, path)).toMatchObject({ status, body: answer });
    await nothingIsLeft();
  });

  test.each([
    ['JSON', 'application/json', '{"file":"x"}', '/', 400, 'file_required'],
    ['JSON where no file is required', 'application/json', '{}', '/optional', 415, 'unsupported_media_type'],
    ['a form of no byte', 'multipart/form-data; boundary=x', '', '/', 400, 'file_required'],
    ['a form of no part', 'multipart/form-data; boundary=x', '--x--\r\n', '/', 400, 'file_required'],
    [
      'a file of a type and without a name',
      'multipart/form-data; boundary=x',
      nameless('x', small),
      '/',
      400,
      'file_required',
    ],
    ['a form without boundary', 'multipart/form-data', '--x--', '/', 400, 'invalid_multipart'],
    ['a form that is none', 'multipart/form-data; boundary=x', 'hello', '/', 400, 'invalid_multipart'],
    ['a form without its end', 'multipart/form-data; boundary=x', formStart('x', small), '/', 400, 'invalid_multipart'],
  ])('%s', async (_what, type, body, path, status, code) => {
    const response = await fetch(web.url + path, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect([response.status, await response.json()]).toEqual([status, { code }]);
    await nothingIsLeft();
  });
});

describe('a sender that does not finish its upload', () => {
  const head = (length: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`;
  const gigabyte = 1024 ** 3;

  test.each([
    ['of a text', Buffer.from('hello, here is a text'), '415'],
    ['of a file beyond 20 MB', pdf(limit + 1), '413'],
  ])('is answered in the middle %s', async (_what, bytes, status) => {
    const socket = dial(web.port);
    socket.write(head(gigabyte));
    socket.write(formStart('x', bytes));
    await eventually(() => expect(socket.received()).toContain(`HTTP/1.1 ${status} `));
    await nothingIsLeft();
    socket.destroy();
  });

  test('is answered in the middle of a form that never gets to its file', async () => {
    const socket = dial(web.port);
    socket.write(head(gigabyte));
    socket.write(Buffer.alloc(limit + 2 * 1024 * 1024, 'a'));
    await eventually(() => expect(socket.received()).toContain('HTTP/1.1 413 '));
    socket.destroy();
  });

  test('gets to read its answer after it has sent the rest, and may go on', async () => {
    const socket = dial(web.port);
    const form = formStart('x', Buffer.concat([Buffer.from('text'), Buffer.alloc(5 * 1024 * 1024)]));
    socket.write(head(form.length));
    socket.write(form);
    await eventually(() => expect(socket.received()).toContain('HTTP/1.1 415 '));
    socket.write('POST /optional HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    await eventually(() => expect(socket.received()).toContain('HTTP/1.1 200 '));
    socket.destroy();
  });

  test.each([
    ['in the middle of a file', formStart('x', pdf(3 * 1024 * 1024))],
    ['in the first bytes of a file', formStart('x', Buffer.from('%P'))],
    ['after the file, before the end of the form', Buffer.concat([formStart('x', small), Buffer.from('\r\n--x\r\n')])],
    ['in the middle of a part header', Buffer.from('--x\r\nContent-Dispo')],
    ['before its first byte', Buffer.alloc(0)],
  ])('and goes away %s leaves nothing, and no one waiting', async (_when, bytes) => {
    const socket = dial(web.port);
    socket.write(head(gigabyte));
    socket.write(bytes);
    await eventually(() => expect(outcomes).toHaveLength(1));
    if (bytes.length > 1_000_000) await eventually(async () => expect(await backend.traces()).toBeGreaterThan(1));
    socket.destroy();
    await expect(outcomes[0]).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_multipart' });
    await nothingIsLeft();
  });

  test('and has sent an empty body in chunks has sent no file', async () => {
    const socket = dial(web.port);
    const headers = 'Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked';
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\n`);
    await eventually(() => expect(socket.received()).toContain('"code":"file_required"'));
    socket.destroy();
  });

  test('and went away before the upload began leaves no one waiting', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    door = promise;
    arrived = undefined;
    const socket = dial(web.port);
    socket.write(head(gigabyte));
    socket.write(formStart('x', small));
    await eventually(() => expect(arrived).toBeDefined());
    socket.destroy();
    await eventually(() => expect(arrived?.destroyed).toBe(true));
    resolve();
    await eventually(() => expect(outcomes).toHaveLength(1));
    await expect(outcomes[0]).rejects.toMatchObject({ kind: 'invalid' });
    await nothingIsLeft();
  });

  test('a file that arrives byte by byte is known by its first bytes all the same', async () => {
    const socket = dial(web.port).setNoDelay(true);
    const form = Buffer.concat([formStart('x', small.subarray(0, 40)), Buffer.from('\r\n--x--\r\n')]);
    socket.write(head(form.length));
    for (const byte of form) await new Promise((sent) => socket.write(Buffer.from([byte]), sent));
    await eventually(() => expect(socket.received()).toContain('"type":"application/pdf"'));
    socket.destroy();
  });
});

function nameless(boundary: string, bytes: Buffer): Buffer<ArrayBuffer> {
  const header = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
  const [start, end] = [`--${boundary}\r\n${header}\r\n\r\n`, `\r\n--${boundary}--\r\n`];
  return Buffer.concat([Buffer.from(start), bytes, Buffer.from(end)]);
}

function formStart(boundary: string, bytes: Buffer): Buffer<ArrayBuffer> {
  const header = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="order.pdf"\r\n\r\n`;
  return Buffer.concat([Buffer.from(header), bytes]);
}
