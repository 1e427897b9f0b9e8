import type { NamedKey } from '@app/runtime';
import { createSignedTokens } from '../../sessions/signed-token.ts';

/** `what`: a kind of notification, or `daily` or `weekly`: all that come in such a digest. */
export type UnsubscribeLinks = {
  urlOf(userId: string, what: string, at: Date): Promise<string>;
  /** Null if the token was not made here, or is older than a year. */
  read(token: string, at: Date): Promise<{ userId: string; what: string } | null>;
};

const validMs = 365 * 24 * 3_600_000;

export function createUnsubscribeLinks({ keys, publicUrl }: { keys: NamedKey[]; publicUrl: string }): UnsubscribeLinks {
  const tokens = createSignedTokens({ keys, audience: 'unsubscribe' });
  return {
    async urlOf(subject, what, at) {
      const token = await tokens.sign({ subject, id: what, expiresAt: new Date(at.getTime() + validMs) });
      return `${publicUrl.replace(/\/$/, '')}/mail/unsubscribe?token=${token}`;
    },
    async read(token, at) {
      const content = await tokens.verify(token, at);
      return content && { userId: String(content.sub), what: String(content.jti) };
    },
  };
}
