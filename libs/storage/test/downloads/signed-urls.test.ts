import { randomBytes } from 'node:crypto';
import { createUrlSigner } from '../../downloads/signed-urls.ts';

const at = new Date('2026-03-01T12:00:00Z');
const old = { id: 'k.2025', secret: randomBytes(32) };
const fresh = { id: 'k2026', secret: randomBytes(32) };
const file = { key: 'a'.repeat(43), name: 'Devis n°12 «été».pdf', type: 'application/pdf' };

const links = createUrlSigner({ keys: [fresh, old], baseUrl: 'https://files.example.com/', now: () => at });
const opened = (token: string, keys = [fresh, old], now = at) =>
  createUrlSigner({ keys, baseUrl: 'https://other.example.com', now: () => now }).open(token);
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
const token = tokenOf(links.sign(file).url);
const minutes = (count: number) => new Date(at.getTime() + count * 60_000);

test('a link carries the file, for any service that has the key', () => {
  const { url, expiresAt } = links.sign(file);
  expect(url).toMatch(/^https:\/\/files\.example\.com\/files\/[\w.-]+$/);
  expect(expiresAt).toEqual(minutes(15));
  expect(opened(tokenOf(url), [fresh])).toEqual(file);
});

test('a link lives 15 minutes, or as long as it was signed for', () => {
  expect(opened(token, [fresh], new Date(minutes(15).getTime() - 1))).toEqual(file);
  expect(() => opened(token, [fresh], minutes(15))).toThrow(expect.objectContaining({ kind: 'not_found' }));
  const short = tokenOf(links.sign(file, 1000).url);
  expect(() => opened(short, [fresh], new Date(at.getTime() + 1000))).toThrow();
});

test('the first key signs, every key verifies, a key that is gone does not', () => {
  const signedByOld = tokenOf(createUrlSigner({ keys: [old], baseUrl: '', now: () => at }).sign(file).url);
  expect(opened(signedByOld)).toEqual(file);
  expect(token.startsWith('k2026.')).toBe(true);
  expect(() => opened(token, [old])).toThrow(expect.objectContaining({ kind: 'not_found' }));
  expect(() => createUrlSigner({ keys: [], baseUrl: '' })).toThrow();
});

test('no character of a link can be changed', () => {
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === 'A' ? 'B' : 'A';
    const forged = token.slice(0, index) + other + token.slice(index + 1);
    expect(() => opened(forged)).toThrow(expect.objectContaining({ kind: 'not_found', code: 'file_not_found' }));
  }
});

test.each(['', '.', '..', 'k2026', 'k2026..', `${token}x`, token.slice(0, -1), `${token}.${token}`, 'é'.repeat(5000)])(
  'knows no link %j',
  (text) => expect(() => opened(text)).toThrow(expect.objectContaining({ kind: 'not_found' })),
);

test('a signature of one key does not pass under the id of another', () => {
  expect(() => opened(token, [{ id: 'k2026', secret: old.secret }])).toThrow();
});

test('a link of the longest name can be opened', () => {
  const longest = { ...file, name: '語'.repeat(255) };
  expect(opened(tokenOf(links.sign(longest).url))).toEqual(longest);
});
