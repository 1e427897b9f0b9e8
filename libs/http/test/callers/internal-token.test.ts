import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Principal } from '@app/contracts';
import { SignJWT } from 'jose';
import { internalTokenSigner, internalTokenVerifier } from '../../callers/internal-token.ts';

function keyPair(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    key: privateKey,
    private: `${kid}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')}`,
    public: `${kid}:${publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')}`,
  };
}

const old = keyPair('2026-a');
const current = keyPair('2026-b');
const platform: Principal = { kind: 'platform' };
const refusal = { kind: 'unauthenticated', code: 'unauthorized' };
const verify = internalTokenVerifier(`${current.public},${old.public}`, { audience: 'ticket' });

/** A token as somebody else may make it. */
function forge(
  claims: { principal?: unknown; issuer?: string; audience?: string; exp?: number },
  key: KeyObject = current.key,
  kid = '2026-b',
) {
  const token = new SignJWT({ principal: 'principal' in claims ? claims.principal : platform })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .setIssuer(claims.issuer ?? 'gateway')
    .setAudience(claims.audience ?? 'ticket');
  return (claims.exp === undefined ? token : token.setExpirationTime(claims.exp)).sign(key);
}
const later = () => Math.floor(Date.now() / 1000) + 60;

test('a verified token has the principal that was signed', async () => {
  const principal: Principal = {
    kind: 'caller',
    caller: {
      companyId: '0123456789abcdef01234567',
      companyName: 'Acme',
      companyKind: 'client',
      userId: '0123456789abcdef01234568',
      firstName: 'Ada',
      lastName: '',
      email: 'ada@example.com',
      permissions: ['tickets'],
      via: 'token',
    },
  };
  await expect(verify(await internalTokenSigner(current.private)(principal, ['ticket']))).resolves.toEqual(principal);
});

test('a service verifies with every key it is given: keys can be changed without a pause', async () => {
  await expect(verify(await internalTokenSigner(old.private)(platform, ['ticket']))).resolves.toEqual(platform);
  await expect(verify(await internalTokenSigner(current.private)(platform, ['ticket']))).resolves.toEqual(platform);
});

test.each<[string, () => Promise<string>]>([
  ['by a key that we do not know', () => internalTokenSigner(keyPair('other').private)(platform, ['ticket'])],
  ['by another key under the name of ours', () => internalTokenSigner(keyPair('2026-b').private)(platform, ['ticket'])],
  ['by one of our keys under the name of another', () => forge({ exp: later() }, old.key, '2026-b')],
  ['for another issuer', () => forge({ issuer: 'somebody', exp: later() })],
  ['for another service', () => forge({ audience: 'connection', exp: later() })],
  ['for no service', () => internalTokenSigner(current.private)(platform, [])],
  ['without an end', () => forge({})],
  ['for nobody', () => forge({ principal: undefined, exp: later() })],
  ['for a principal that we do not know', () => forge({ principal: { kind: 'root' }, exp: later() })],
  ['for a caller who says too little', () => forge({ principal: { kind: 'caller', caller: {} }, exp: later() })],
  ['for more than it may say', () => forge({ principal: { kind: 'platform', caller: {} }, exp: later() })],
])('a token signed %s is refused', async (_how, token) => {
  await expect(verify(await token())).rejects.toMatchObject(refusal);
});

test('a token altered anywhere is refused', async () => {
  const token = await internalTokenSigner(current.private)({ kind: 'service', service: 'ticket' }, ['ticket']);
  const [head, body, signature] = token.split('.') as [string, string, string];
  const other = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), principal: platform }),
  );
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid: '2026-b' })).toString('base64url');
  const altered = [
    [head, other.toString('base64url'), signature],
    [head, body, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    [head, body, ''],
    [none, body, ''],
    [head, body],
    ['', '', ''],
    ['__proto__'],
  ];
  for (const parts of altered) await expect(verify(parts.join('.'))).rejects.toMatchObject(refusal);
  await expect(verify(token)).resolves.toBeDefined();
});

describe('time', () => {
  const clock = { now: Date.now() };
  const timed = internalTokenVerifier(current.public, { audience: 'ticket', now: () => clock.now });
  beforeEach(() => {
    clock.now = Date.now();
  });

  test('a token is good until it expires and not after, however often it was seen', async () => {
    const token = await internalTokenSigner(current.private, 60)(platform, ['ticket']);
    const first = await timed(token);
    clock.now += 58_000;
    // The same object: it came from the cache.
    expect(await timed(token)).toBe(first);
    clock.now += 3_000;
    await expect(timed(token)).rejects.toMatchObject(refusal);
    await expect(timed(token)).rejects.toMatchObject(refusal);
  });

  test('a token outlives the longest request, an upload of 5 minutes, though it was 30 s old when that began', async () => {
    const token = await internalTokenSigner(current.private)(platform, ['ticket']);
    clock.now += 30_000;
    await expect(timed(token)).resolves.toEqual(platform);
    clock.now += 300_000;
    await expect(timed(token)).resolves.toEqual(platform);
    // So does a service that does not have it in its cache.
    const other = internalTokenVerifier(current.public, { audience: 'ticket', now: () => clock.now });
    await expect(other(token)).resolves.toEqual(platform);
    clock.now += 40_000;
    await expect(timed(token)).rejects.toMatchObject(refusal);
    const last = internalTokenVerifier(current.public, { audience: 'ticket', now: () => clock.now });
    await expect(last(token)).rejects.toMatchObject(refusal);
  });
});

test('the cache of verified tokens is bounded: the oldest is forgotten first', async () => {
  const few = internalTokenVerifier(current.public, { audience: 'ticket', cacheSize: 3 });
  const sign = internalTokenSigner(current.private);
  const tokens = await Promise.all(
    ['a', 'b', 'c', 'd'].map((service) => sign({ kind: 'service', service }, ['ticket'])),
  );
  const principals: Principal[] = [];
  for (const token of tokens) principals.push(await few(token));
  const again: Principal[] = [];
  for (const token of [...tokens].reverse()) again.unshift(await few(token));
  expect(again).toEqual(principals);
  expect(again.map((principal, index) => principal === principals[index])).toEqual([false, true, true, true]);
});
