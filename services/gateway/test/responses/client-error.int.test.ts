import { clientErrorResponder } from '../../responses/client-error.ts';

const origin = 'https://api.example.com';

/** What a client gets whose bytes the parser refused with this error. */
function answerTo(code: string): { status: string; body: unknown } {
  let text = '';
  const socket = { writable: true, destroy: () => undefined, end: (sent: string) => (text = sent) };
  clientErrorResponder(origin)(Object.assign(new Error('refused'), { code }), socket);
  const [head = '', body = '{}'] = text.split('\r\n\r\n');
  return { status: head.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3), body: JSON.parse(body) };
}

test.each([
  ['HPE_HEADER_OVERFLOW', '431', 'headers_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408', 'request_timeout'],
  ['HPE_INVALID_METHOD', '400', 'malformed_request'],
])('%s is %s %s, with the address of its entry in the guide', (error, status, code) => {
  const doc_url = `${origin}/guide/errors#${code}`;
  expect(answerTo(error)).toEqual({ status, body: { error: expect.any(String), code, doc_url } });
});

test.each([
  ['that was reset', true, 'ECONNRESET'],
  ['that cannot be written to', false, 'HPE_INVALID_METHOD'],
])('a socket %s is destroyed without an answer', (_, writable, code) => {
  const done: string[] = [];
  const socket = { writable, destroy: () => done.push('destroy'), end: () => done.push('end') };
  clientErrorResponder(origin)(Object.assign(new Error('refused'), { code }), socket);
  expect(done).toEqual(['destroy']);
});
