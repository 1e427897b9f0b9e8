import { createHmac, timingSafeEqual } from 'node:crypto';
import { compileFunction } from 'node:vm';
import { signatureHeader } from '../../../services/webhook-dispatcher/signature.ts';
import { verifier } from '../webhook-events-page.ts';

type IsGenuine = (rawBody: Buffer, header: string | undefined, secret: string) => boolean;

/** The lines of the page, as a receiver would run them. */
const body = verifier.replace(/^import .*$/m, '').replace('export function', 'return function');
const isGenuine = compileFunction(body, ['createHmac', 'timingSafeEqual', 'Buffer'])(
  createHmac,
  timingSafeEqual,
  Buffer,
) as IsGenuine;

const secret = 'whsec_0123456789';
const sent = Buffer.from('{"event":"ticket.status_changed"}');
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const signed = signatureHeader(secret, sent, ago(1));

test('the verifier of the guide takes what the dispatcher signs', () => {
  expect(isGenuine(sent, signed, secret)).toBe(true);
});

test.each<[string, Buffer, string | undefined, string]>([
  ['a body that was altered', Buffer.from('{"event":"ticket.quote_added"}'), signed, secret],
  ['another secret', sent, signed, 'whsec_other'],
  ['a stale signature', sent, signatureHeader(secret, sent, ago(400)), secret],
  ['a signature from the future', sent, signatureHeader(secret, sent, ago(-400)), secret],
  ['a time that was altered', sent, signed.replace(/^t=\d/, 't=9'), secret],
  ['no signature', sent, undefined, secret],
  ['an empty signature', sent, '', secret],
  ['half a signature', sent, signed.slice(0, -10), secret],
  ['no time', sent, signed.replace(/^t=\d+,/, ''), secret],
])('the verifier of the guide refuses %s', (_what, rawBody, header, key) => {
  expect(isGenuine(rawBody, header, key)).toBe(false);
});
