import { createHmac } from 'node:crypto';
import { verifySignature } from '../signature.ts';

const secret = 'whsec_0123456789';
const raw = Buffer.from('{"clientId":"c", "events":[{"invoiceId":"é1"}]}');
const now = new Date('2026-11-21T12:00:00Z');
const seconds = Math.floor(now.getTime() / 1000);
const sign = (key: string, ...parts: (string | Buffer)[]) => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const plain = sign(secret, raw);
const timed = (at: number, key = secret) => sign(key, `${at}.`, raw);

test.each([
  ['sha256= and the digest', `sha256=${plain}`],
  ['the digest alone', plain],
  ['upper case', `SHA256=${plain.toUpperCase()}`],
  ['spaces around it', `  sha256=${plain} `],
  ['a moment and its digest', `t=${seconds},v1=${timed(seconds)}`],
  ['spaces after the comma', `t=${seconds}, v1=${timed(seconds)}`],
  ['a digest of 300 s ago', `t=${seconds - 300},v1=${timed(seconds - 300)}`],
  ['a clock that is 300 s ahead', `t=${seconds + 300},v1=${timed(seconds + 300)}`],
  ['two digests while the secret changes', `t=${seconds},v1=${timed(seconds, 'old')},v1=${timed(seconds)}`],
  ['a scheme that is not ours beside it', `t=${seconds},v0=${timed(seconds, 'x')},v1=${timed(seconds)}`],
])('accepted: %s', (_name, header) => {
  expect(verifySignature(raw, header, secret, now)).toBe(true);
});

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['the prefix alone', 'sha256='],
  ['another secret', `sha256=${sign('other', raw)}`],
  ['a digest that is cut', `sha256=${plain.slice(0, 62)}`],
  ['a digest that is longer', `sha256=${plain}00`],
  ['what is no hexadecimal', `sha256=${'z'.repeat(64)}`],
  ['another algorithm', `sha1=${createHmac('sha1', secret).update(raw).digest('hex')}`],
  ['base64', `sha256=${Buffer.from(plain, 'hex').toString('base64')}`],
  ['two headers in one', `sha256=${plain}, sha256=${plain}`],
  ['a digest of 301 s ago', `t=${seconds - 301},v1=${timed(seconds - 301)}`],
  ['a clock that is 301 s ahead', `t=${seconds + 301},v1=${timed(seconds + 301)}`],
  ['a moment that the digest is not of', `t=${seconds},v1=${timed(seconds - 10)}`],
  ['a digest without the moment in it', `t=${seconds},v1=${plain}`],
  ['a moment without a digest', `t=${seconds}`],
  ['a digest without a moment', `v1=${timed(seconds)}`],
  ['a moment that is no number', `t=now,v1=${timed(seconds)}`],
  ['a header of a megabyte', `t=${seconds},${'v1=0,'.repeat(200_000)}v1=${timed(seconds)}`],
])('refused: %s', (_name, header) => {
  expect(verifySignature(raw, header, secret, now)).toBe(false);
});

test('the bytes count, not what they mean', () => {
  const again = Buffer.from(JSON.stringify(JSON.parse(raw.toString('utf8'))));
  expect(verifySignature(again, `sha256=${plain}`, secret, now)).toBe(false);
});

test('without a secret nothing is accepted, not even a signature under the empty key', () => {
  expect(verifySignature(raw, `sha256=${sign('', raw)}`, '', now)).toBe(false);
});
