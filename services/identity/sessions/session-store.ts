import type { NamedKey } from '@app/runtime';
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import { type Connection, Schema } from 'mongoose';
import type { Session } from './session.ts';

type SessionDocument = Omit<Session, 'id'> & { _id: string };

export type SessionStore = {
  /** Saves the session; resolves to its token, a JWT. */
  add(session: Session): Promise<string>;
  /** Null if the token is forged or expired, or its session has ended. */
  find(token: string, at: Date): Promise<Session | null>;
  /** Idempotent. */
  end(id: string): Promise<void>;
};

const algorithm = 'HS256';
const issuer = 'identity';
const audience = 'session';

const sessionSchema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    user_id: { type: String, required: true },
    company_id: { type: String, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'sessions' },
);
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
      const { _id, user_id, company_id, expires_at } = found;
      return { id: _id, user_id, company_id, expires_at };
    },
    async end(id) {
      await model.deleteOne({ _id: id });
    },
  };
}

async function verify(token: string, secrets: Map<string, Buffer>, at: Date) {
  const keyOf = ({ kid }: JWTHeaderParameters): Buffer => {
    const secret = secrets.get(String(kid));
    if (!secret) throw new errors.JWKSNoMatchingKey();
    return secret;
  };
  try {
    const options = { algorithms: [algorithm], issuer, audience, currentDate: at };
    const { payload } = await jwtVerify(token, keyOf as never, options);
    return { sessionId: String(payload.jti), userId: String(payload.sub) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
