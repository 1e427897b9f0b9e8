import { randomBytes } from 'node:crypto';
import { createSecretBox } from '../secret-box.ts';

const oldKey = { id: '2025', secret: randomBytes(32) };
const newKey = { id: '2026', secret: randomBytes(32) };
const sealed = createSecretBox([oldKey]).seal('key_é', 'connection:1:apiKey');

test('an encrypted text decrypts, also after a newer key was put before', () => {
  expect(createSecretBox([newKey, oldKey]).open(sealed, 'connection:1:apiKey')).toBe('key_é');
});

test('stored texts stay readable: one encrypted in 2026 decrypts', () => {
  const box = createSecretBox([newKey, { id: 'k1', secret: Buffer.alloc(32, 7) }]);
  const stored = 'k1:pBviJ6z6Za4xrOWrLd4LB9WsK68pQyLFOM/INEhovdWAkYZ+';
  expect(box.open(stored, '0123456789abcdef01234567')).toBe('whsec_é');
});

test('the first key encrypts, never twice alike, and the text cannot be seen', () => {
  const box = createSecretBox([newKey, oldKey]);
  const again = box.seal('key_é', 'connection:1:apiKey');
  expect(again).toMatch(/^2026:/);
  expect(again).not.toBe(box.seal('key_é', 'connection:1:apiKey'));
  expect(Buffer.from(again.slice(5), 'base64').includes('key_')).toBe(false);
});

test('only what the first key encrypted is current', () => {
  const box = createSecretBox([newKey, oldKey]);
  expect([box.isSealedWithCurrentKey(sealed), box.isSealedWithCurrentKey(box.seal('key_é', 'a'))]).toEqual([
    false,
    true,
  ]);
});

test('without a key there is no encryption', () => expect(() => createSecretBox([])).toThrow());

test.each([
  ['another owner', () => createSecretBox([oldKey]).open(sealed, 'connection:2:apiKey')],
  ['another field', () => createSecretBox([oldKey]).open(sealed, 'connection:1:webhookSecret')],
  ['a changed text', () => createSecretBox([oldKey]).open(flipLast(sealed), 'connection:1:apiKey')],
  ['a tag cut short', () => createSecretBox([oldKey]).open(cutTo(sealed, 16), 'connection:1:apiKey')],
  ['a key of the same name', () => createSecretBox([{ ...newKey, id: '2025' }]).open(sealed, 'connection:1:apiKey')],
  ['a key that is gone', () => createSecretBox([newKey]).open(sealed, 'connection:1:apiKey')],
])('%s does not decrypt it', (_fault, open) => expect(open).toThrow());

function flipLast(text: string): string {
  const [id, packed = ''] = text.split(':');
  const bytes = Buffer.from(packed, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return `${id}:${bytes.toString('base64')}`;
}

function cutTo(text: string, length: number): string {
  const [id, packed = ''] = text.split(':');
  return `${id}:${Buffer.from(packed, 'base64').subarray(0, length).toString('base64')}`;
}
