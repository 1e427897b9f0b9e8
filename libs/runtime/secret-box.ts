import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { NamedKey } from './config.ts';

/** Seals what must be kept and used but never read from the database (design section 10). */
export type SecretBox = {
  /** @param context binds the sealed text to its place, an owner's id and a field: elsewhere it does not open */
  seal(secret: string, context: string): string;
  /** @throws Error where the key is unknown, or the text was changed or belongs to another context */
  open(sealed: string, context: string): string;
  /** False for what an older key sealed: it still opens, and should be sealed anew before that key goes. */
  isSealedWithCurrentKey(sealed: string): boolean;
};

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: the first key encrypts, all decrypt. Sealed form: `<key id>:<base64 of iv, tag, text>`. */
export function createSecretBox(given: readonly NamedKey[]): SecretBox {
  // From bytes a key would be made anew for each secret, which takes four times as long as opening it.
  const keys = given.map(({ id, secret }) => ({ id, secret: createSecretKey(secret) }));
  const [current] = keys;
  if (current === undefined) throw new Error('no key to encrypt with');
  return {
    seal(secret, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, current.secret, iv).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${current.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
    },
    open(sealed, context) {
      const [id, packed = ''] = sealed.split(':');
      const key = keys.find((candidate) => candidate.id === id);
      if (key === undefined) throw new Error(`no key "${id}" to decrypt with: CREDENTIALS_KEYS must keep it`);
      const bytes = Buffer.from(packed, 'base64');
      const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
    isSealedWithCurrentKey: (sealed) => sealed.startsWith(`${current.id}:`),
  };
}
