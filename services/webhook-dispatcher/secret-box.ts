import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/** A key-encryption key; `secret` has 32 bytes. */
export type EncryptionKey = { id: string; secret: Buffer };

/** Seals what must be kept but never read from the database; `context` binds it to its owner, an endpoint's id. */
export type SecretBox = {
  seal(secret: string, context: string): string;
  /** @throws Error where the key is unknown, or the text was changed or belongs to another context */
  open(sealed: string, context: string): string;
};

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM (design section 10): the first key encrypts, all decrypt. Sealed form: `<key id>:<base64 of iv, tag, text>`. */
export function createSecretBox(given: readonly EncryptionKey[]): SecretBox {
  // From bytes a key would be made anew for each secret, which takes four times as long as opening it.
  const keys = given.map(({ id, secret }) => ({ id, secret: createSecretKey(secret) }));
  return {
    seal(secret, context) {
      const key = keys[0];
      if (key === undefined) throw new Error('no key to encrypt with');
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key.secret, iv).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${key.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
    },
    open(sealed, context) {
      const [id, packed = ''] = sealed.split(':');
      const key = keys.find((candidate) => candidate.id === id);
      if (key === undefined) throw new Error(`no key "${id}" to decrypt with: CREDENTIALS_KEYS must keep it`);
      const bytes = Buffer.from(packed, 'base64');
      const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
