import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../infra/index.ts';

export const keyNames = [
  'INTERNAL_TOKEN_PRIVATE_KEY',
  'INTERNAL_TOKEN_PUBLIC_KEYS',
  'SESSION_KEYS',
  'DOWNLOAD_LINK_KEYS',
  'CREDENTIALS_KEYS',
  'PLATFORM_ADMIN_TOKEN',
] as const;
export type KeyName = (typeof keyNames)[number];
export type Keys = Record<KeyName, string>;

/**
 * The keys and tokens of this platform, generated once into `keys.json` (mode 0600) of the stack's folder. The environment
 * takes precedence.
 * @throws UsageError if the environment has the public internal keys without the private one
 */
export function loadKeys(stackDir: string, env: NodeJS.ProcessEnv): Keys {
  const file = join(stackDir, 'keys.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Keys>) : {};
  const keys: Keys = { ...makeKeys(), ...kept };
  // Keys that a later version needs are added to the file.
  if (keyNames.some((name) => !kept[name])) writePrivately(file, `${JSON.stringify(keys, null, 2)}\n`);
  const given = Object.fromEntries(keyNames.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return { ...keys, ...given, ...internalPair(env) };
}

/** New keys in the format of the services' settings. */
export function makeKeys(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = randomBytes(4).toString('hex');
  const secret = () => `${id}:${randomBytes(32).toString('base64')}`;
  return {
    INTERNAL_TOKEN_PRIVATE_KEY: `${id}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')}`,
    INTERNAL_TOKEN_PUBLIC_KEYS: `${id}:${encodePublic(publicKey)}`,
    SESSION_KEYS: secret(),
    DOWNLOAD_LINK_KEYS: secret(),
    CREDENTIALS_KEYS: secret(),
    PLATFORM_ADMIN_TOKEN: randomBytes(32).toString('base64url'),
  };
}

/** Derives the public key of a given private one, unless it is given too. */
function internalPair(env: NodeJS.ProcessEnv): Partial<Keys> {
  const { INTERNAL_TOKEN_PRIVATE_KEY: given, INTERNAL_TOKEN_PUBLIC_KEYS: known } = env;
  if (!given && known) throw new UsageError('INTERNAL_TOKEN_PUBLIC_KEYS is given without INTERNAL_TOKEN_PRIVATE_KEY.');
  if (!given || known) return {};
  const [id, encoded = ''] = given.split(':');
  try {
    const key = createPrivateKey({ key: Buffer.from(encoded, 'base64url'), format: 'der', type: 'pkcs8' });
    return { INTERNAL_TOKEN_PUBLIC_KEYS: `${id}:${encodePublic(createPublicKey(key))}` };
  } catch {
    throw new UsageError('INTERNAL_TOKEN_PRIVATE_KEY is not id:base64url(PKCS#8) of an Ed25519 key.');
  }
}

function encodePublic(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64url');
}

/** Writes a file atomically, readable by this user only. */
export function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
