import { forwardedAddress } from '../../callers/client-address.ts';

const socket = { remoteAddress: '10.0.0.1' };

test.each<[string, string | undefined, string]>([
  [
    'the one that the gateway appended, whatever the client sent before it',
    '6.6.6.6, 7.7.7.7, 203.0.113.9',
    '203.0.113.9',
  ],
  ['the only one', '203.0.113.9', '203.0.113.9'],
  ['that of the connection without the header', undefined, '10.0.0.1'],
  ['that of the connection if the last entry is empty', '203.0.113.9,', '10.0.0.1'],
])('the address of a client behind the gateway is %s', (_which, header, expected) => {
  expect(forwardedAddress({ headers: { 'x-forwarded-for': header }, socket })).toBe(expected);
});
