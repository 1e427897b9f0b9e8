import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a service (`node --import`): a password hash takes 1/80 of its work. Tests make hundreds of users, and each
 * takes two hashes, one when made and one to log in. No setting of the platform does this, since users hashed at two costs would answer
 * at two speeds. The unit tests of identity hold the real cost.
 */
const { scrypt } = crypto;
type Callback = (error: Error | null, key: Buffer) => void;

Object.assign(crypto, {
  scrypt: (password: string, salt: Buffer, length: number, options: ScryptOptions, callback: Callback) =>
    scrypt(password, salt, length, { ...options, N: 1024, p: 1 }, callback),
});
syncBuiltinESMExports();
