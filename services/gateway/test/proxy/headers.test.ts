import { bodyLength, bodyOf } from '../../limits/body-limit.ts';
import { clientAddress } from '../../limits/client-address.ts';
import { framing, requestHeaders, responseHeaders } from '../../proxy/headers.ts';

test('headers that a client must not send to a service are removed', () => {
  const sent = [
    'Host',
    'api.example.com',
    'Authorization',
    'Bearer secret',
    'COOKIE',
    'session=secret',
    'X-Session-Token',
    'forged',
    'x-forwarded-for',
    '1.2.3.4',
    'X-Forwarded-Anything',
    'x',
    'Forwarded',
    'for=x',
    ...[
      'X-Real-IP',
      '1.2.3.4',
      'X-Request-Id',
      'theirs',
      'Traceparent',
      'theirs',
      'Tracestate',
      'theirs',
      'Expect',
      '100-continue',
    ],
    'Connection',
    'keep-alive, X-Secret',
    'X-Secret',
    'for this hop',
    'Keep-Alive',
    'timeout=5',
    'TE',
    'trailers',
    'Transfer-Encoding',
    'chunked',
    'Content-Length',
    '7',
    'Upgrade',
    'h2c',
    'HTTP2-Settings',
    'x',
    'Accept',
    'application/json',
    'X-Own',
    'kept',
    'X-Own',
    'twice',
  ];
  expect(requestHeaders(sent, ['Host', 'ticket:80'])).toEqual([
    'Host',
    'ticket:80',
    'accept',
    'application/json',
    'x-own',
    'kept',
    'x-own',
    'twice',
  ]);
});

test('an Idempotency-Key reaches the service as often as it was sent, so that the service can refuse two', () => {
  const sent = ['Idempotency-Key', 'a', 'idempotency-key', 'a'];
  expect(requestHeaders(sent, [])).toEqual(['idempotency-key', 'a', 'idempotency-key', 'a']);
});

test('the Connection header can remove neither the length nor the credentials', () => {
  const sent = ['Connection', 'content-length, authorization', 'Content-Length', '5', 'Authorization', 'Bearer forged'];
  const own = ['Authorization', 'Bearer internal', ...framing(bodyLength({ 'content-length': '5' }) ?? null, 'POST')];
  expect(requestHeaders(sent, own)).toEqual(['Authorization', 'Bearer internal', 'Content-Length', '5']);
});

test('a response keeps the headers that the service set, and gets the missing ones', () => {
  const defaults = new Map([
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ]);
  const raw = [
    'Set-Cookie',
    'a=1',
    'Set-Cookie',
    'b=2',
    'Cache-Control',
    'private',
    'Connection',
    'close, X-Hop',
    'X-Hop',
    '1',
  ];
  expect(
    responseHeaders([...raw, 'X-Powered-By', 'Express', 'X-Request-Id', 'again'], ['X-Request-Id', 'ours'], defaults),
  ).toEqual([
    'X-Request-Id',
    'ours',
    'Set-Cookie',
    'a=1',
    'Set-Cookie',
    'b=2',
    'Cache-Control',
    'private',
    'x-content-type-options',
    'nosniff',
  ]);
});

test.each<[object, string, unknown, string[]]>([
  [{}, 'GET', null, []],
  [{}, 'DELETE', null, []],
  [{}, 'POST', null, ['Content-Length', '0']],
  [{ 'content-length': '0' }, 'PUT', null, ['Content-Length', '0']],
  [{ 'content-length': '12' }, 'POST', 12, ['Content-Length', '12']],
  [{ 'content-length': '12' }, 'GET', 12, ['Content-Length', '12']],
  [{ 'transfer-encoding': 'Chunked' }, 'POST', 'chunked', ['Transfer-Encoding', 'chunked']],
])('%j of a %s is a body of %s', (headers, method, length, said) => {
  expect(bodyLength({ ...headers })).toBe(length);
  expect(framing(length as number, method)).toEqual(said);
});

test('an encoding that we could not undo is refused', () => {
  expect(() => bodyOf({ 'transfer-encoding': 'gzip, chunked' }, { service: 'ticket' })).toThrow(
    expect.objectContaining({ kind: 'invalid', code: 'transfer_encoding_unsupported' }),
  );
});

const json = { 'content-type': 'application/json' };
const multipart = { 'content-type': 'Multipart/form-data; boundary=x' };
test.each<[string, object, 'ticket' | 'purchase', string | null]>([
  ['1 MB of JSON', { ...json, 'content-length': String(1024 * 1024) }, 'ticket', null],
  ['a byte more', { ...json, 'content-length': String(1024 * 1024 + 1) }, 'ticket', 'payload_too_large'],
  ['no type', { 'content-length': '2000000' }, 'ticket', 'payload_too_large'],
  ['an upload of 20 MB', { ...multipart, 'content-length': String(20 * 1024 * 1024 + 1000) }, 'ticket', null],
  ['an upload of 22 MB', { ...multipart, 'content-length': String(22 * 1024 * 1024) }, 'ticket', 'file_too_large'],
  ['of a purchase', { ...multipart, 'content-length': '99999999' }, 'purchase', 'purchase_file_limit_file_size'],
  ['JSON of a purchase', { ...json, 'content-length': '99999999' }, 'purchase', 'payload_too_large'],
])('%s is too large by its length: %#', (_, headers, service, code) => {
  const act = () => bodyOf({ ...headers }, { service });
  if (code) expect(act).toThrow(expect.objectContaining({ kind: 'too_large', code }));
  else
    expect(act()).toMatchObject({
      length: Number((headers as typeof json & { 'content-length': string })['content-length']),
    });
});

test('a route may take more than JSON does, as a stream of whatever type', () => {
  const route = { service: 'identity', public: true, maxBytes: 10 * 1024 * 1024 } as const;
  const headers = { 'content-type': 'message/rfc822', 'content-length': '10485760' };
  expect(bodyOf(headers, route)).toMatchObject({ upload: true, maxBytes: 10_485_760 });
  expect(() => bodyOf({ ...headers, 'content-length': '10485761' }, route)).toThrow('larger than 10 MB');
});

test.each<[string | undefined, string | undefined, number, string]>([
  ['10.0.0.1', undefined, 0, '10.0.0.1'],
  ['10.0.0.1', '6.6.6.6', 0, '10.0.0.1'],
  ['::ffff:10.0.0.1', undefined, 0, '10.0.0.1'],
  ['10.0.0.1', '6.6.6.6, 7.7.7.7', 1, '7.7.7.7'],
  ['10.0.0.1', '6.6.6.6, 7.7.7.7, 10.0.0.2', 2, '7.7.7.7'],
  ['10.0.0.1', '7.7.7.7', 2, '7.7.7.7'],
  ['10.0.0.1', 'unknown', 1, '10.0.0.1'],
  ['10.0.0.1', '', 1, '10.0.0.1'],
  ['10.0.0.1', '2001:db8::7', 1, '2001:db8::7'],
])('from %s with X-Forwarded-For %s behind %i proxies: %s', (socket, forwarded, proxies, address) => {
  expect(clientAddress(socket, forwarded, proxies)).toBe(address);
});
