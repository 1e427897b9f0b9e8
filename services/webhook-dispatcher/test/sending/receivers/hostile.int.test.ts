import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { newId } from '@app/kernel';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { ampleMs } from '@app/testing';
import type { Attempt } from '../../../attempt.ts';
import { createReceiverClient } from '../../../sending/receiver-client.ts';
import { type certificates, forever, type Say, startRawReceiver } from './raw-receiver.ts';

/** For attempts that end by their time limit: enough for the beginning of an answer. */
const shortMs = 1_500;
const ok = 'HTTP/1.1 200 OK\r\n';
const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));

/** An attempt at a receiver that answers like that; bounded in time and in what is read. */
async function attemptAt(url: string, timeoutMs = ampleMs): Promise<Attempt> {
  const client = createReceiverClient({
    policy: createAddressPolicy(['127.0.0.0/8']),
    resolve: async () => [],
    timeoutMs,
  });
  const attempt = await client.post({ endpointId: newId(), url, headers: {}, body: Buffer.from('{"a":1}') });
  expect(attempt.durationMs).toBeLessThan(ampleMs);
  expect(attempt.responseBody?.length ?? 0).toBeLessThanOrEqual(1_024);
  return attempt;
}

/** The buffers of two sockets, and what is in flight between them. */
const takenAtMost = 8 * 1024 * 1024;

type Expected = Partial<Attempt>;
/** Of one whose status is read, its head must have come by then. */
const headMs = 10_000;
const limitFor = ({ error, statusCode }: Expected) => {
  if (error !== 'timeout') return ampleMs;
  return statusCode === null ? shortMs : headMs;
};
const timeout: Expected = { statusCode: null, error: 'timeout', responseBody: null };
const invalid: Expected = { statusCode: null, error: 'response_invalid', responseBody: null };
const done: Expected = { statusCode: 200, error: null, responseBody: 'done' };
/** Each part as a packet of its own. */
const slowly = (...parts: string[]): Say => {
  return async (socket) => {
    for (const part of parts) {
      await promisify<string, void>(socket.write.bind(socket))(part);
      // The client is in this process: in a turn of the loop it reads what has come.
      for (let turns = 0; turns < 2; turns += 1) await setImmediate();
    }
    socket.end();
  };
};
const said = (...parts: string[]): Say => {
  return (socket) => void socket.end(parts.join(''));
};

test.each<[string, Say, Expected]>([
  ['a body without end', forever(`${ok}\r\n`, 'x'.repeat(16_384)), { error: null, responseBody: 'x'.repeat(1_024) }],
  [
    'a chunked body without end',
    forever(`${ok}transfer-encoding: chunked\r\n\r\n`, '4\r\nxxxx\r\n'.repeat(2_000)),
    { error: null },
  ],
  ['a body that drips', forever(`${ok}\r\n`, '.', 100), { statusCode: 200, error: 'timeout' }],
  ['a head that drips', forever(ok, 'x', 100), timeout],
  ['a status line that drips', forever('H', 'T', 100), invalid],
  ['a header without end', forever(`${ok}x-long: `, 'x'.repeat(4_096)), invalid],
  ['headers without end', forever(ok, 'x-one: of many\r\n'.repeat(100)), invalid],
  ['2,000 headers', said(ok, 'x-one: of many\r\n'.repeat(2_000), '\r\n'), { statusCode: 200, error: null }],
  ['8,000 headers', said(ok, 'x-one: of many\r\n'.repeat(8_000), '\r\n'), invalid],
  ['interim answers without end', forever('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), invalid],
  ['an unasked answer before its own', said('HTTP/1.1 100 Continue\r\n\r\n', ok, '\r\n', 'done'), done],
  [
    'unasked answers in pieces',
    slowly('HT', 'TP/1.1 100 Continue\r\nx: y\r', '\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP', `/1.1${ok.slice(8)}\r\ndone`),
    done,
  ],
  ['answers to a question that was not asked', forever('', 'HTTP/1.1 100 Continue\r\n\r\n'), invalid],
  ['half a head', said('HTTP/1.1 200 O'), invalid],
  ['half a body', said(ok, 'content-length: 100\r\n\r\n', 'half'), { statusCode: 200, error: 'response_incomplete' }],
  ['half a chunk', said(ok, 'transfer-encoding: chunked\r\n\r\n', '64\r\nhalf'), { error: 'response_incomplete' }],
  ['a chunk of no size', said(ok, 'transfer-encoding: chunked\r\n\r\n', 'zz\r\n'), { error: 'response_incomplete' }],
  ['two lengths', said(ok, 'content-length: 1\r\ncontent-length: 2\r\n\r\n', 'ab'), invalid],
  ['a length and chunks', said(ok, 'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'), invalid],
  ['another protocol', said('220 mail.example.com ESMTP\r\n'), invalid],
  ['a status beyond all', said('HTTP/1.1 999 Odd\r\n\r\n'), { statusCode: 999, error: 'status_not_2xx' }],
  ['no answer', () => undefined, timeout],
  ['an end without answer', (socket) => void socket.end(), { error: 'connection_failed' }],
  ['a reset', (socket) => void socket.destroy(), { statusCode: null, error: 'connection_failed' }],
  ['204 and nothing', said('HTTP/1.1 204 No Content\r\n\r\n'), { statusCode: 204, error: null, responseBody: '' }],
])('a receiver with %s', async (_name, say, expected) => {
  const receiver = await startRawReceiver(say);
  try {
    expect(await attemptAt(receiver.url, limitFor(expected))).toMatchObject(expected);
    expect(receiver.written()).toBeLessThan(takenAtMost);
  } finally {
    await receiver.close();
  }
});

test('a compressed bomb is not decompressed', async () => {
  const receiver = await startRawReceiver((socket) => {
    socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  });
  const before = process.memoryUsage().arrayBuffers;
  const attempt = await attemptAt(receiver.url);
  expect(attempt).toMatchObject({ statusCode: 200, error: null });
  expect(attempt.responseBody).toContain('\u0008');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(takenAtMost);
  await receiver.close();
});

test.each<[string, keyof typeof certificates]>([
  ['of another name', 'otherName'],
  ['signed by itself', 'selfSigned'],
  ['that has expired', 'expired'],
  ['that is not valid yet', 'notYet'],
])('a certificate %s: tls_failed, and nothing is sent', async (_name, kind) => {
  let received = false;
  const receiver = await startRawReceiver(() => {
    received = true;
  }, kind);
  expect(await attemptAt(receiver.url)).toMatchObject({ statusCode: null, error: 'tls_failed', responseBody: null });
  expect(received).toBe(false);
  await receiver.close();
});

test.each<[string, (socket: Socket) => void, Expected]>([
  ['says nothing', () => undefined, timeout],
  ['drips its handshake', (socket) => void setInterval(() => socket.write('\x16'), 100).unref(), { statusCode: null }],
  ['speaks plain HTTP', (socket) => void socket.write(`${ok}\r\n`), { statusCode: null, error: 'tls_failed' }],
  ['ends', (socket) => void socket.end(), { statusCode: null, error: 'connection_failed' }],
])('a server that %s where TLS is to begin', async (_name, behave, expected) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await attemptAt(`https://127.0.0.1:${port}/`, limitFor(expected));
  expect(attempt).toMatchObject(expected);
  expect(attempt.error).not.toBeNull();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
