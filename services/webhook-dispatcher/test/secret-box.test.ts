import { randomBytes } from 'node:crypto';
import { createSecretBox } from '../secret-box.ts';

const oldKey = { id: '2025', secret: randomBytes(32) };
const newKey = { id: '2026', secret: randomBytes(32) };
const sealed = createSecretBox([oldKey]).seal('whsec_é', 'endpoint-1');

test('what was sealed opens, also after a newer key was put before', () => {
  expect(createSecretBox([newKey, oldKey]).open(sealed, 'endpoint-1')).toBe('whsec_é');
});

test('the first key seals, never twice alike, and the text is not to be seen', () => {
  const box = createSecretBox([newKey, oldKey]);
  const again = box.seal('whsec_é', 'endpoint-1');
  expect(again).toMatch(/^2026:/);
  expect(again).not.toBe(box.seal('whsec_é', 'endpoint-1'));
  expect(Buffer.from(again.slice(5), 'base64').includes('whsec')).toBe(false);
});

test.each([
  ['another endpoint', () => createSecretBox([oldKey]).open(sealed, 'endpoint-2')],
  ['a changed text', () => createSecretBox([oldKey]).open(flipLast(sealed), 'endpoint-1')],
  ['a key of the same name', () => createSecretBox([{ ...newKey, id: '2025' }]).open(sealed, 'endpoint-1')],
  ['a key that is gone', () => createSecretBox([newKey]).open(sealed, 'endpoint-1')],
])('%s does not open it', (_fault, open) => expect(open).toThrow());

function flipLast(text: string): string {
  const [id, packed = ''] = text.split(':');
  const bytes = Buffer.from(packed, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return `${id}:${bytes.toString('base64')}`;
}
