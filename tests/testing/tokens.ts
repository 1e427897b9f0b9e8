import { generateKeyPairSync } from 'node:crypto';
import type { Caller, Principal } from '@app/contracts';
import { internalTokenSigner, internalTokenVerifier, type VerifyToken } from '@app/http';
import { newId } from '@app/kernel';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** The gateway's key pair for one test file: what the settings INTERNAL_TOKEN_* hold. */
export const testKeys = {
  private: `test:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')}`,
  public: `test:${publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')}`,
};

/** Every service: a token of a test is for whichever it calls. */
const audience = ['identity', 'ticket', 'purchase', 'webhook-dispatcher', 'connection', 'invoice-reconciliation'];

// Made when they are first used: most unit tests need no tokens, and `@app/http` is large.
let verify: VerifyToken | undefined;
let sign: ReturnType<typeof internalTokenSigner> | undefined;

/** Takes the tokens of `signAs` and `signPrincipal`. */
export const verifyTestToken: VerifyToken = (token) => {
  verify ??= internalTokenVerifier(testKeys.public, { audience });
  return verify(token);
};

/** A caller with every permission, of a company of its own, but for what is given. */
export function aCaller(given: Partial<Caller> = {}): Caller {
  return {
    companyId: newId(),
    companyName: 'Acme',
    companyKind: 'client',
    userId: newId(),
    firstName: 'Ada',
    lastName: 'Martin',
    email: 'ada@example.com',
    permissions: ['admin'],
    via: 'session',
    ...given,
  };
}

/** The header with which the gateway vouches for a caller. */
export async function signAs(caller: Caller): Promise<{ authorization: string }> {
  return signPrincipal({ kind: 'caller', caller });
}

/** The same for the administrator of the platform, or for a service. */
export async function signPrincipal(principal: Principal): Promise<{ authorization: string }> {
  sign ??= internalTokenSigner(testKeys.private, 3600);
  return { authorization: `Bearer ${await sign(principal, audience)}` };
}
