import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';
import { createSemaphore } from '@app/runtime';

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

type Parameters = { N: number; r: number; p: number };
/** `cost` is lower in tests that are about something else. */
type Options = { running?: number; waiting?: number; cost?: Parameters };

/**
 * One of the parameter sets that OWASP recommends for scrypt: 16 MB and about 0.15 s of a core.
 * Stored with each hash, so that it can be raised.
 */
const owaspCost = { N: 2 ** 14, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;

/**
 * Hashes passwords, `running` at a time: Node has as many threads for it, and each takes 16 MB. Others wait; beyond `waiting` of
 * them it refuses, so that a flood of logins cannot grow the queue without bound.
 */
export function createPasswordHasher({ running = 4, waiting = 100, cost = owaspCost }: Options = {}) {
  const semaphore = createSemaphore(running);

  /** @throws AppError overloaded */
  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (semaphore.waiting >= waiting) {
      throw new AppError('overloaded', 'overloaded', 'too many logins at once; try again in a moment');
    }
    return semaphore.run(work);
  }

  const nobody = encode(cost, randomBytes(saltBytes), randomBytes(hashBytes));
  return {
    /** The hash to store: `scrypt$N$r$p$salt$hash`. @throws AppError overloaded `overloaded` */
    hash: (password: string): Promise<string> =>
      limited(async () => {
        const salt = randomBytes(saltBytes);
        return encode(cost, salt, await derive({ password, salt, length: hashBytes, ...cost }));
      }),
    /** `stored` is null for a user that does not exist: takes as long, and is false. @throws AppError overloaded `overloaded` */
    verify: (password: string, stored: string | null): Promise<boolean> =>
      limited(async () => {
        const { salt, hash, ...options } = decode(stored ?? nobody);
        const same = timingSafeEqual(await derive({ password, salt, length: hash.length, ...options }), hash);
        return same && stored !== null;
      }),
  };
}

function encode({ N, r, p }: Parameters, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

function decode(stored: string): Parameters & { salt: Buffer; hash: Buffer } {
  const [, N, r, p, salt = '', hash = ''] = stored.split('$');
  return {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

type Derivation = Parameters & { password: string; salt: Buffer; length: number };

/** NFKC: the same character typed on two keyboards may be different bytes (NIST SP 800-63B). */
function derive({ password, salt, length, ...options }: Derivation): Promise<Buffer> {
  const limits: ScryptOptions = { ...options, maxmem: 256 * options.N * options.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, limits, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
