import type { Within } from '@app/idempotency';
import type { NamedKey } from '@app/runtime';
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import { type Connection, Schema } from 'mongoose';
import type { Page } from '../paging.ts';
import type { Session } from './session.ts';

type SessionDocument = Omit<Session, 'id'> & { _id: string };

export type SessionStore = {
  /** Saves the session; resolves to its token, a JWT. */
  add(session: Session): Promise<string>;
  /** Null if the token is forged or expired, or its session has ended. */
  find(token: string, at: Date): Promise<Session | null>;
  /** The sessions of a user that last at this time, after the cursor, ascending by id, at most `limit`. */
  list(userId: string, page: Page, at: Date): Promise<Session[]>;
  /** Ends a session; false if the user has none with this id. */
  end(id: string, userId: string, within?: Within): Promise<boolean>;
  /** Ends all sessions of a user but one. */
  endOthers(kept: Pick<Session, 'id' | 'user_id'>, within?: Within): Promise<void>;
  endAll(userId: string, within?: Within): Promise<void>;
};

const algorithm = 'HS256';
const issuer = 'identity';
const audience = 'session';

const sessionSchema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    user_id: { type: String, required: true },
    company_id: { type: String, required: true },
    created_at: { type: Date, default: null },
    expires_at: { type: Date, required: true },
    address: { type: String, default: null },
    user_agent: { type: String, default: null },
  },
  { versionKey: false, collection: 'sessions' },
);
sessionSchema.index({ user_id: 1, _id: 1 }, { name: 'user' });
sessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

type Deps = { connection: Connection; keys: NamedKey[] };

/** The first key signs and all verify, so that a key can be replaced without logging anybody out. */
export function createSessionStore({ connection, keys }: Deps): SessionStore {
  const model = connection.model<SessionDocument>('Session', sessionSchema);
  const [signing] = keys;
  if (!signing) throw new Error('a session store needs a key');
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  return {
    async add({ id, ...session }) {
      await model.create({ _id: id, ...session });
      return new SignJWT()
        .setProtectedHeader({ alg: algorithm, kid: signing.id })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(session.user_id)
        .setJti(id)
        .setIssuedAt()
        .setExpirationTime(session.expires_at)
        .sign(signing.secret);
    },
    async find(token, at) {
      const claims = await verify(token, secrets, at);
      if (!claims) return null;
      const found = await model.findOne({ _id: claims.sessionId, user_id: claims.userId }).lean<SessionDocument>();
      // The TTL index removes up to a minute late.
      if (!found || found.expires_at <= at) return null;
      return session(found);
    },
    async list(userId, { limit, cursor }, at) {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model
        .find({ user_id: userId, ...after, expires_at: { $gt: at } })
        .sort({ _id: 1 })
        .hint('user');
      return (await found.limit(limit).lean<SessionDocument[]>()).map(session);
    },
    async end(id, userId, within = {}) {
      const { deletedCount } = await model.deleteOne({ _id: id, user_id: userId }, within);
      return deletedCount === 1;
    },
    async endOthers({ id, user_id }, within = {}) {
      await model.deleteMany({ user_id, _id: { $ne: id } }, within);
    },
    async endAll(userId, within = {}) {
      await model.deleteMany({ user_id: userId }, within);
    },
  };
}

function session({ _id, user_id, company_id, expires_at, ...origin }: SessionDocument): Session {
  const { created_at = null, address = null, user_agent = null } = origin;
  return { id: _id, user_id, company_id, created_at, expires_at, address, user_agent };
}

async function verify(token: string, secrets: Map<string, Buffer>, at: Date) {
  const keyOf = ({ kid }: JWTHeaderParameters): Buffer => {
    const secret = secrets.get(String(kid));
    if (!secret) throw new errors.JWKSNoMatchingKey();
    return secret;
  };
  try {
    const options = { algorithms: [algorithm], issuer, audience, currentDate: at };
    const { payload } = await jwtVerify(token, keyOf, options);
    return { sessionId: String(payload.jti), userId: String(payload.sub) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
