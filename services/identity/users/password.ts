import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';

export type PasswordHasher = {
  /** What to keep of a password: `scrypt$N$r$p$salt$hash`. @throws AppError overloaded `overloaded` */
  hash(password: string): Promise<string>;
  /** Null for a user that does not exist: takes as long, and is never right. @throws AppError overloaded `overloaded` */
  verify(password: string, kept: string | null): Promise<boolean>;
};

type Parameters = { N: number; r: number; p: number };
/** `cost` is for tests that are about something else. */
type Options = { running?: number; waiting?: number; cost?: Parameters };

/** OWASP's second choice for scrypt: 16 MB and about 0.15 s of a core. Kept with each hash, so that it may be raised. */
const owaspCost = { N: 2 ** 14, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;

/**
 * Hashes passwords, `running` at a time: that is how many threads Node has for it, and each takes 16 MB. Others wait;
 * beyond `waiting` of them it refuses at once, so that a flood of logins can't grow a queue without end.
 */
export function createPasswordHasher({ running = 4, waiting = 100, cost = owaspCost }: Options = {}): PasswordHasher {
  const enter = createGate({ running, waiting });
  const nobody = encode(cost, randomBytes(saltBytes), randomBytes(hashBytes));
  return {
    hash: (password) =>
      enter(async () => {
        const salt = randomBytes(saltBytes);
        return encode(cost, salt, await derive({ password, salt, length: hashBytes, ...cost }));
      }),
    verify: (password, kept) =>
      enter(async () => {
        const { salt, hash, ...options } = decode(kept ?? nobody);
        const same = timingSafeEqual(await derive({ password, salt, length: hash.length, ...options }), hash);
        return same && kept !== null;
      }),
  };
}

function encode({ N, r, p }: Parameters, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

function decode(kept: string): Parameters & { salt: Buffer; hash: Buffer } {
  const [, N, r, p, salt = '', hash = ''] = kept.split('$');
  return {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

type Derivation = Parameters & { password: string; salt: Buffer; length: number };

/** The same character typed on two keyboards may be different bytes: NFKC makes them one (NIST SP 800-63B). */
function derive({ password, salt, length, ...options }: Derivation): Promise<Buffer> {
  const limits: ScryptOptions = { ...options, maxmem: 256 * options.N * options.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, limits, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

function createGate(limits: { running: number; waiting: number }): Gate {
  const queue: (() => void)[] = [];
  let free = limits.running;
  return async (work) => {
    if (free > 0) free -= 1;
    else if (queue.length >= limits.waiting) {
      throw new AppError('overloaded', 'overloaded', 'too many logins at once; try again in a moment');
    } else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      // The place is handed on, not freed: a newcomer never passes those who wait.
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
