import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';

const algorithm = 'HS256';
const issuer = 'identity';

/** A JWT of one kind, its `audience`: `subject` is the user, `id` what it names. */
type TokenContent = { subject: string; id: string; expiresAt: Date; claims?: JWTPayload };

type Options = { keys: { id: string; secret: Buffer }[]; audience: string };

/** The first key signs and all verify, so that a key can be replaced without logging anybody out. */
export function createSignedTokens({ keys, audience }: Options) {
  const [signing] = keys;
  if (!signing) throw new Error('signed tokens need a key');
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  const keyOf = ({ kid }: JWTHeaderParameters): Buffer => {
    const secret = secrets.get(String(kid));
    if (!secret) throw new errors.JWKSNoMatchingKey();
    return secret;
  };
  return {
    sign: ({ subject, id, expiresAt, claims }: TokenContent): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid: signing.id })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(id)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(signing.secret),
    /** Null if the token is forged, of another kind or expired. */
    async verify(token: string, at: Date): Promise<JWTPayload | null> {
      try {
        const options = { algorithms: [algorithm], issuer, audience, currentDate: at };
        return (await jwtVerify(token, keyOf, options)).payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
