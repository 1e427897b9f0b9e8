import { createHash } from 'node:crypto';
import { formStart, limit, type Part, pdf, small, type UploadServer, useUploadServer } from './upload-server.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46', 'hex');

let server: UploadServer;
useUploadServer((one) => {
  server = one;
});

describe('accepted uploads', () => {
  test.each([
    ['a PDF', small, 'application/pdf'],
    ['a PNG', png, 'image/png'],
    ['a JPEG', jpeg, 'image/jpeg'],
    ['a PDF of 5 bytes', small.subarray(0, 5), 'application/pdf'],
    ['a PDF of exactly 20 MB', pdf(limit), 'application/pdf'],
  ])('%s is stored, and named as what it is', async (_what, bytes, type) => {
    const { status, body } = await server.send([['file', bytes, 'été.html']]);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file = {
      key: expect.any(String),
      name: expect.stringMatching(/^été\.html\.(pdf|png|jpg)$/),
      size: bytes.length,
      type,
      hash,
    };
    expect([status, body]).toEqual([200, { fields: {}, file }]);
    const { key } = body['file'] as { key: string };
    expect(await server.backend.storage.stat(key)).toMatchObject({ size: bytes.length });
  });

  test('text fields before and after the file, whose name loses its folders and control characters', async () => {
    const file: Part = ['file', small, '../../a/b\n "c".pdf'];
    const { body } = await server.send([['reference', 'D-12 é'], file, ['price', '12.50'], ['note', '']]);
    expect(body).toMatchObject({ file: { name: 'b "c".pdf' } });
    expect(body['fields']).toEqual({ reference: 'D-12 é', price: '12.50', note: '' });
  });

  test('20 text fields of 64 KiB', async () => {
    const fields: Part[] = Array.from({ length: 20 }, (_, n) => [`f${n}`, 'x'.repeat(64 * 1024)]);
    expect(await server.send([...fields, ['file', small]])).toMatchObject({ status: 200 });
  });

  test('no file where none is required', async () => {
    expect(await server.send([['reference', 'a']], '/optional')).toEqual({
      status: 200,
      body: { fields: { reference: 'a' } },
    });
    const empty = await fetch(`${server.web.url}/optional`, { method: 'POST' });
    expect(await empty.json()).toEqual({ fields: {} });
  });

  test('an upload can be taken back', async () => {
    await server.send([['file', small]]);
    expect(await server.storedFiles()).toHaveLength(1);
    const upload = await server.outcomes[0];
    await upload?.discard();
    await upload?.discard();
    await server.expectNothingLeft();
  });
});

describe('refused uploads leave nothing', () => {
  const file: Part = ['file', small];
  const texts = (...names: string[]) => names.map((name): Part => [name, '1']);
  const refused: [what: string, parts: Part[], status: number, answer: object, path?: string][] = [
    ['one byte more than 20 MB', [['file', pdf(limit + 1)]], 413, { code: 'file_too_large' }],
    ['a text named .pdf', [['file', Buffer.from('hello')]], 415, { code: 'file_type' }],
    ['no file', [['reference', 'a']], 400, { code: 'file_required' }],
    ['a file without a name', [['file', `%PDF-1.7${'x'.repeat(100_000)}`]], 400, { code: 'file_required' }],
    ['another field', [['document', small]], 400, { code: 'file_required' }],
    ['two files', [file, file], 400, { code: 'file_required' }],
    ['a file in another field too', [file, ['other', small]], 400, { code: 'file_required' }],
    ['a field given twice', [file, ...texts('a', 'a')], 422, { errors: [{ path: 'a' }] }],
    ['a nested field', [...texts('a[b]'), file], 422, { errors: [{ path: 'a[b]' }] }],
    ['a field too long', [['a', 'x'.repeat(65_537)], file], 422, { errors: [{ path: 'a' }] }],
    [
      '21 fields',
      [file, ...texts(...Array.from({ length: 21 }, (_, n) => `f${n}`))],
      400,
      { code: 'invalid_multipart' },
    ],
    ['too large, under its own code', [['doc', pdf(1001)]], 413, { code: 'a' }, '/own-codes'],
    ['the type, under its own code', [['doc', Buffer.from('text')]], 415, { code: 'b' }, '/own-codes'],
    ['no file, under its own code', [['file', small]], 400, { code: 'c' }, '/own-codes'],
    ['a file where storage fails', [['file', small]], 502, { code: 'storage_unavailable' }, '/broken'],
  ];
  test.each(refused.map(([what, ...rest]) => ({ what, rest })))('$what', async ({ rest }) => {
    const [parts, status, answer, path] = rest;
    expect(await server.send(parts, path)).toMatchObject({ status, body: answer });
    await server.expectNothingLeft();
  });

  test.each([
    ['JSON', 'application/json', '{"file":"x"}', '/', 400, 'file_required'],
    ['JSON where no file is required', 'application/json', '{}', '/optional', 415, 'unsupported_media_type'],
    ['a form of no byte', 'multipart/form-data; boundary=x', '', '/', 400, 'file_required'],
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
    const response = await fetch(server.web.url + path, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect([response.status, await response.json()]).toEqual([status, { code }]);
    await server.expectNothingLeft();
  });
});

describe('text of a form', () => {
  const part = (header: string, value: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; ${header}\r\n\r\n`, 'latin1'),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]);
  const send = async (...parts: Buffer[]) => {
    const body = Buffer.concat([...parts, Buffer.from('--x--\r\n')]);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const response = await fetch(server.web.url, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const named = (name: string) => part(`name="file"; filename${name}`, small);
  const file = named('="order.pdf"');
  const latin1 = Buffer.from('caf\xe9', 'latin1');

  test.each([
    ['a field in Latin-1', [part('name="note"', latin1), file]],
    ['a field after the file', [file, part('name="note"', latin1)]],
    ['a field with a cut character', [part('name="note"', Buffer.from('\xe2\x82', 'latin1')), file]],
    ['a field with half of a surrogate pair', [part('name="note"', Buffer.from('\xed\xa0\xbd', 'latin1')), file]],
    [
      'the same in UTF-16',
      [part('name="note"\r\nContent-Type: text/plain; charset=utf-16le', Buffer.from('\ud83d', 'utf16le')), file],
    ],
    ['an unknown encoding', [part('name="note"\r\nContent-Type: text/plain; charset=nonsense', 'x'), file]],
    ['the name of a field', [part('name="caf\xe9"', 'x'), file]],
    ['the name of the file', [named('="caf\xe9.pdf"')]],
    ['the name of the file, escaped', [named("*=UTF-8''caf%E9.pdf")]],
  ])('that is not UTF-8, %s: 400, and nothing is left', async (_what, parts) => {
    expect(await send(...parts)).toEqual({ status: 400, body: { code: 'invalid_multipart' } });
    await server.expectNothingLeft();
  });

  test('is read in the encoding that its part names, or is escaped in', async () => {
    const note = part('name="note"\r\nContent-Type: text/plain; charset=iso-8859-1', latin1);
    const said = part('name="said"\r\nContent-Type: text/plain; charset=UTF-8', 'été');
    const { body } = await send(note, said, named("*=iso-8859-1''caf%E9.pdf"));
    expect(body).toMatchObject({ fields: { note: 'café', said: 'été' }, file: { name: 'café.pdf' } });
  });
});

function nameless(boundary: string, bytes: Buffer): Buffer<ArrayBuffer> {
  const header = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
  const [start, end] = [`--${boundary}\r\n${header}\r\n\r\n`, `\r\n--${boundary}--\r\n`];
  return Buffer.concat([Buffer.from(start), bytes, Buffer.from(end)]);
}
