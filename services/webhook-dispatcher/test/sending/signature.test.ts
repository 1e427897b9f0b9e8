import Stripe from 'stripe';
import { newSecret } from '../../endpoints/endpoint.ts';
import { signatureHeader } from '../../sending/signature.ts';

const body = Buffer.from(
  JSON.stringify({ event: 'ticket.status_changed', data: { title: 'Fuite d’eau à l’étage 🚰' } }),
);

test('the header is t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">', () => {
  const header = signatureHeader('whsec_test', Buffer.from('{"a":1}'), new Date(1_700_000_000_999));
  // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  expect(header).toBe('t=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789');
});

describe('verified by the library of Stripe', () => {
  const { webhooks } = new Stripe('sk_test_unused');
  const secret = newSecret();

  test('a signature of now is accepted', () => {
    const header = signatureHeader(secret, body, new Date());
    expect(webhooks.constructEvent(body, header, secret)).toMatchObject({ event: 'ticket.status_changed' });
  });

  test.each([
    ['another secret', () => signatureHeader(newSecret(), body, new Date())],
    ['another body', () => signatureHeader(secret, Buffer.from('{}'), new Date())],
    ['a time out of tolerance', () => signatureHeader(secret, body, new Date(Date.now() - 301_000))],
  ])('%s is refused', (_fault, header) => {
    expect(() => webhooks.constructEvent(body, header(), secret)).toThrow();
  });
});
