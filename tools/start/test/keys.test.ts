import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { keyNames, makeKeys } from '../settings/keys.ts';

const der = (key: string) => Buffer.from(key.split(':')[1] as string, 'base64url');

test('the internal pair signs and verifies, and both halves have the same id', () => {
  const { INTERNAL_TOKEN_PRIVATE_KEY: own, INTERNAL_TOKEN_PUBLIC_KEYS: known } = makeKeys();
  const privateKey = createPrivateKey({ key: der(own), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey({ key: der(known), format: 'der', type: 'spki' });
  const text = Buffer.from('token');
  expect(verify(null, text, publicKey, sign(null, text, privateKey))).toBe(true);
  expect(known.split(':')[0]).toBe(own.split(':')[0]);
});

test.each(['SESSION_KEYS', 'DOWNLOAD_LINK_KEYS', 'CREDENTIALS_KEYS'] as const)(
  '%s holds one key of 32 bytes',
  (name) => {
    const [id, secret] = makeKeys()[name].split(':');
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    expect(Buffer.from(secret as string, 'base64')).toHaveLength(32);
  },
);

test('no two stacks have a key in common', () => {
  const [one, other] = [makeKeys(), makeKeys()];
  for (const name of keyNames) expect(one[name]).not.toBe(other[name]);
});
