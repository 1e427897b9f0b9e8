import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { NamedKey } from './settings/config.ts';

/** Encrypts secrets that are stored and used again, such as API keys of providers. */
export type SecretBox = ReturnType<typeof createSecretBox>;

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: the first key encrypts, all decrypt. Sealed form: `<key id>:<base64 of iv, tag, text>`. @throws Error without a key */
export function createSecretBox(given: readonly NamedKey[]) {
  // Created once: creating a key for each secret would take four times as long as opening it.
  const keys = given.map(({ id, secret }) => ({ id, secret: createSecretKey(secret) }));
  const [current] = keys;
  if (current === undefined) throw new Error('no key to encrypt with');
  return {
    /** @param context an owner's id and a field: the sealed text cannot be opened with another context */
    seal(secret: string, context: string): string {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, current.secret, iv).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${current.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
    },
    /** @throws Error if the key is unknown, or the text was changed or belongs to another context */
    open(sealed: string, context: string): string {
      const [id, packed = ''] = sealed.split(':');
      const key = keys.find((candidate) => candidate.id === id);
      if (key === undefined) throw new Error(`no key "${id}" to decrypt with: CREDENTIALS_KEYS must keep it`);
      const bytes = Buffer.from(packed, 'base64');
      const decipher = createDecipheriv(algorithm, key.secret, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
    /** False if an older key sealed it: it can still be opened, and should be sealed again before that key is removed. */
    isSealedWithCurrentKey: (sealed: string): boolean => sealed.startsWith(`${current.id}:`),
  };
}
