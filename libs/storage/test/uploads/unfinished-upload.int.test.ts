import { eventually } from '@app/testing';
import { dial } from '../web.ts';
import { formStart, pdf, small, type UploadServer, useUploadServer } from './upload-server.ts';

let server: UploadServer;
useUploadServer((one) => {
  server = one;
});

const head = (length: number, path = '/') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`;
const gigabyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

test.each([
  ['a text', formStart('x', Buffer.from('hello, here is a text')), '415'],
  ['a file beyond the limit', formStart('x', pdf(mebibyte + 1)), '413'],
  // Beyond what the file and all its text fields may have.
  ['a form that never gets to its file', Buffer.alloc(4 * mebibyte, 'a'), '413'],
])('a sender that does not finish its upload is answered in the middle of %s', async (_what, bytes, status) => {
  const socket = dial(server.web.port);
  socket.write(head(gigabyte, '/small'));
  socket.write(bytes);
  await eventually(() => expect(socket.received()).toContain(`HTTP/1.1 ${status} `));
  await server.expectNothingLeft();
  socket.destroy();
});

test('a sender that does not finish its upload gets to read its answer after it has sent the rest, and may go on', async () => {
  const socket = dial(server.web.port);
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
])(
  'a sender that does not finish its upload and goes away %s leaves nothing, and no one waiting',
  async (_when, bytes) => {
    const socket = dial(server.web.port);
    socket.write(head(gigabyte));
    socket.write(bytes);
    await eventually(() => expect(server.outcomes).toHaveLength(1));
    if (bytes.length > 1_000_000)
      await eventually(async () => expect(await server.backend.traces()).toBeGreaterThan(1));
    socket.destroy();
    await expect(server.outcomes[0]).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_multipart' });
    await server.expectNothingLeft();
  },
);

test('a sender that does not finish its upload and has sent an empty body in chunks has sent no file', async () => {
  const socket = dial(server.web.port);
  const headers = 'Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked';
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\n`);
  await eventually(() => expect(socket.received()).toContain('"code":"file_required"'));
  socket.destroy();
});

test('a sender that does not finish its upload and went away before the upload began leaves no one waiting', async () => {
  const release = server.hold();
  const socket = dial(server.web.port);
  socket.write(head(gigabyte));
  socket.write(formStart('x', small));
  await eventually(() => expect(server.arrived).toBeDefined());
  socket.destroy();
  await eventually(() => expect(server.arrived?.destroyed).toBe(true));
  release();
  await eventually(() => expect(server.outcomes).toHaveLength(1));
  await expect(server.outcomes[0]).rejects.toMatchObject({ kind: 'invalid' });
  await server.expectNothingLeft();
});

test('a file that arrives byte by byte is known by its first bytes all the same', async () => {
  const socket = dial(server.web.port).setNoDelay(true);
  const form = Buffer.concat([formStart('x', small.subarray(0, 40)), Buffer.from('\r\n--x--\r\n')]);
  socket.write(head(form.length));
  for (const byte of form) await new Promise((sent) => socket.write(Buffer.from([byte]), sent));
  await eventually(() => expect(socket.received()).toContain('"type":"application/pdf"'));
  socket.destroy();
});
