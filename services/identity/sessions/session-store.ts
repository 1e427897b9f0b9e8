import type { Page } from '@app/kernel';
import { documentSchema, type NamedKey } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import { endOf, type Session, sessionIdleMs } from './session.ts';
import { createSignedTokens } from './signed-token.ts';

type SessionDocument = Omit<Session, 'id'> & { _id: string };

export type SessionStore = ReturnType<typeof createSessionStore>;

const sessionSchema = documentSchema<SessionDocument>('sessions');
sessionSchema.index({ user_id: 1, _id: 1 }, { name: 'user' });
sessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

/** At most one write a minute and session. */
const noteUseMs = 60_000;
const idleSince = (at: Date) => new Date(at.getTime() - sessionIdleMs);

type Deps = { connection: Connection; keys: NamedKey[] };

export function createSessionStore({ connection, keys }: Deps) {
  const model = connection.model<SessionDocument>('Session', sessionSchema);
  const tokens = createSignedTokens({ keys, audience: 'session' });
  return {
    /** Saves the session; resolves to its token, a JWT. */
    async add({ id, ...session }: Session): Promise<string> {
      await model.create({ _id: id, ...session });
      return tokens.sign({ subject: session.user_id, id, expiresAt: session.expires_at });
    },
    /** Null if the token is forged or expired, or its session has ended. Notes that it was used. */
    async find(token: string, at: Date): Promise<Session | null> {
      const content = await tokens.verify(token, at);
      if (!content) return null;
      const found = await model
        .findOne({ _id: String(content.jti), user_id: String(content.sub) })
        .lean<SessionDocument>();
      // The TTL index removes up to a minute late.
      if (!found || endOf(found) <= at) return null;
      if (at.getTime() - found.used_at.getTime() >= noteUseMs)
        await model.updateOne({ _id: found._id }, { $max: { used_at: at } });
      return session(found);
    },
    /** When those of the sessions end that last at this time. It does not use them. */
    async lasting(ids: readonly string[], at: Date): Promise<Map<string, Date>> {
      const found = await model.find({ _id: { $in: ids } }).lean<SessionDocument[]>();
      return new Map(found.map((one) => [one._id, endOf(one)] as const).filter(([, end]) => end > at));
    },
    /** The sessions of a user that last at this time, after the cursor, ascending by id, at most `limit`. */
    async list(userId: string, { limit, cursor }: Page, at: Date): Promise<Session[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model
        .find({ user_id: userId, ...after, expires_at: { $gt: at }, used_at: { $gt: idleSince(at) } })
        .sort({ _id: 1 })
        .hint('user');
      return (await found.limit(limit).lean<SessionDocument[]>()).map(session);
    },
    /** Ends a session; false if the user has none with this id. */
    async end(id: string, userId: string, within: Within = {}): Promise<boolean> {
      const { deletedCount } = await model.deleteOne({ _id: id, user_id: userId }, within);
      return deletedCount === 1;
    },
    /** Ends all sessions of a user but one. */
    async endOthers({ id, user_id }: Pick<Session, 'id' | 'user_id'>, within: Within = {}): Promise<void> {
      await model.deleteMany({ user_id, _id: { $ne: id } }, within);
    },
    async endAll(userId: string, within: Within = {}): Promise<void> {
      await model.deleteMany({ user_id: userId }, within);
    },
  };
}

function session({ _id, ...fields }: SessionDocument): Session {
  return { id: _id, ...fields };
}
