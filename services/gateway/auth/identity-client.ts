import type { Principal } from '@app/contracts';
import { httpClient, type Lookup } from '@app/http';
import { AppError } from '@app/kernel';
import type { AuthenticatedPrincipal, Credential } from './credential-cache.ts';

type Options = {
  baseUrl: string;
  timeoutMs: number;
  sign: (principal: Principal, audience: string[]) => Promise<string>;
  lookup: Lookup | undefined;
};

/**
 * A function that asks identity who a credential belongs to; null for an invalid one.
 * Rejects with AppError unavailable `service_unavailable` or timeout `service_timeout` if identity does not answer.
 */
export function createIdentityClient({ baseUrl, timeoutMs, sign, lookup }: Options) {
  const client = httpClient({ baseUrl, timeoutMs, lookup });

  return async function introspect(credential: Credential): Promise<AuthenticatedPrincipal | null> {
    const token = await sign({ kind: 'service', service: 'gateway' }, ['identity']);
    const { status, body } = await client.request({
      method: 'post',
      path: '/internal/credentials',
      token,
      body: credential,
    });
    if (status === 401) return null;
    if (status !== 200) {
      throw new AppError('unavailable', 'service_unavailable', `identity answered ${status}`);
    }
    const { principal, expiresAt } = body as { principal: Principal; expiresAt: string | null };
    return { principal, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
  };
}
