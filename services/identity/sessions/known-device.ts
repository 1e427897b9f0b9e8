import { createHash, randomUUID } from 'node:crypto';
import { createSignedTokens } from './signed-token.ts';

/** A user with a password hash, and null for what is no user. */
type Account = { user: { id: string }; passwordHash: string | null } | null;

/**
 * Browsers in which a user has logged in, or has set the password by a link. They hold a token of their own, which lets nobody
 * in: it only keeps the guesses of others from locking the user out there.
 */
export type KnownDevices = ReturnType<typeof createKnownDevices>;

export const deviceLifetimeMs = 365 * 24 * 3_600_000;

type Options = Pick<Parameters<typeof createSignedTokens>[0], 'keys'>;

export function createKnownDevices({ keys }: Options) {
  const tokens = createSignedTokens({ keys, audience: 'device' });
  return {
    /** The id of the browser; null if it is none of the user's. */
    async recognise(token: unknown, account: Account, at: Date): Promise<string | null> {
      const content = typeof token === 'string' && account ? await tokens.verify(token, at) : null;
      const isOwn = content?.sub === account?.user.id && content?.['password'] === markOf(account?.passwordHash);
      return content && isOwn ? String(content.jti) : null;
    },
    /** A token for the browser, which keeps its `id` if it is known. A change of the password ends it. */
    token: ({ user, passwordHash }: NonNullable<Account>, at: Date, id?: string | null): Promise<string> =>
      tokens.sign({
        subject: user.id,
        id: id ?? randomUUID(),
        expiresAt: new Date(at.getTime() + deviceLifetimeMs),
        claims: { password: markOf(passwordHash) },
      }),
  };
}

/** Tells passwords apart, and nothing more: the hash is salted. */
function markOf(passwordHash: string | null | undefined): string {
  return createHash('sha256').update(`${passwordHash}`).digest('base64url').slice(0, 16);
}
