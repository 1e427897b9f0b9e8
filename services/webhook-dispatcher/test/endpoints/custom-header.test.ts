import {
  headersContext,
  isReserved,
  lengthOf,
  openHeaders,
  repeatsName,
  sealHeaders,
} from '../../endpoints/custom-header.ts';

test.each([
  'Host',
  'host',
  'Content-Type',
  'Content-Length',
  'content-anything',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Upgrade',
  'Expect',
  'Proxy-Authorization',
  'Proxy-Connection',
  'HTTP2-Settings',
  'User-Agent',
  'Accept',
  'Accept-Encoding',
  'X-Service-Signature',
  'x-service-',
  'X-SERVICE-Anything',
])('%s is not to be set', (name) => expect(isReserved(name)).toBe(true));

test.each(['Authorization', 'X-Api-Key', 'X-Service', 'Accept-Language', 'My-Host', 'Cookie', 'Contents'])(
  '%s may be set',
  (name) => expect(isReserved(name)).toBe(false),
);

test('names are compared without their case', () => {
  const header = (name: string) => ({ name, value: 'x' });
  expect(repeatsName([header('X-A'), header('x-a')])).toBe(true);
  expect(repeatsName([header('X-A'), header('X-B')])).toBe(false);
  expect(lengthOf([header('X-A'), header('X-B')])).toBe(8);
});

test('the values are in the sealed text alone, which is bound to the headers of the endpoint', () => {
  const secrets = {
    seal: (secret: string, context: string) => `${context}|${Buffer.from(secret).toString('base64')}`,
    open(sealed: string, context: string) {
      const [bound, text = ''] = sealed.split('|');
      if (bound !== context) throw new Error('another context');
      return Buffer.from(text, 'base64').toString();
    },
  };
  const given = [
    { name: 'X-Key', value: 'secret' },
    { name: '__proto__', value: 'kept' },
  ];
  const sealed = sealHeaders(secrets, 'one', given);
  expect(sealed?.names).toEqual(['X-Key', '__proto__']);
  expect(JSON.stringify(sealed)).not.toContain('secret');
  expect(Object.entries(openHeaders(secrets, 'one', sealed))).toEqual(given.map(({ name, value }) => [name, value]));
  expect(() => openHeaders(secrets, 'two', sealed)).toThrow('another context');
  expect(headersContext('one')).not.toBe('one');
  expect([sealHeaders(secrets, 'one', []), openHeaders(secrets, 'one', null)]).toEqual([null, {}]);
});
