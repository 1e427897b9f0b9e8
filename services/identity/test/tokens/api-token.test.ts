import { hashOf } from '../../random-secret.ts';
import { createApiToken, isWellFormed, looksLikeApiToken } from '../../tokens/api-token.ts';

const at = new Date('2026-11-21T10:00:00Z');
const make = () => createApiToken({ name: 'erp', companyId: 'c'.repeat(24), userId: 'd'.repeat(24) }, at);

test('a secret is fmt_, 32 random bytes and a checksum of six characters', () => {
  const { secret } = make();
  expect(secret).toMatch(/^fmt_[\w-]{43}[0-9A-Za-z]{6}$/);
  expect(isWellFormed(secret)).toBe(true);
  expect(looksLikeApiToken(secret)).toBe(true);
});

test('what is stored of a token does not reveal its secret', () => {
  const { apiToken, secret } = make();
  expect(apiToken).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'erp',
    company_id: 'c'.repeat(24),
    user_id: 'd'.repeat(24),
    made_by: 'd'.repeat(24),
    created_at: at.toISOString(),
    // 24 of 256 random bits, to tell tokens apart.
    prefix: secret.slice(0, 8),
    scopes: null,
    expires_at: null,
    last_used_at: null,
  });
  expect(hashOf(secret)).toMatch(/^[\w-]{43}$/);
});

test('no two secrets are alike', () => {
  const secrets = new Set(Array.from({ length: 1000 }, () => make().secret));
  expect(secrets.size).toBe(1000);
});

test('the checksum is the known one: CRC-32 in base 62', () => {
  // CRC-32 of 43 times "A" is 204167558 (Python's zlib says so too).
  expect(isWellFormed(`fmt_${'A'.repeat(43)}0DofJ8`)).toBe(true);
  expect(isWellFormed(`fmt_${'A'.repeat(43)}0DofJ9`)).toBe(false);
});

test('one mistyped character anywhere is detected without a lookup', () => {
  const { secret } = make();
  for (let index = 0; index < secret.length; index += 1) {
    const typo = secret.slice(0, index) + (secret[index] === 'x' ? 'y' : 'x') + secret.slice(index + 1);
    expect(isWellFormed(typo)).toBe(false);
  }
});

test.each([
  '',
  'fmt_',
  'fmt_short',
  'Fmt_',
  `fmt_${'é'.repeat(49)}`,
  `fmt_${'A'.repeat(50)}`,
  'eyJhbGciOiJIUzI1NiJ9.e30.x',
])('is no token: %j', (text) => expect(isWellFormed(text)).toBe(false));
