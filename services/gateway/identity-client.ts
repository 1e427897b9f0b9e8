import type { Principal } from '@app/contracts';
import { httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import type { Credential, Recognised } from './credentials.ts';

type Options = { baseUrl: string; timeoutMs: number; sign: (principal: Principal) => Promise<string> };

/**
 * Asks identity whom a credential stands for; null if nobody.
 * Rejects with AppError unavailable `service_unavailable` or timeout `service_timeout` where it does not answer.
 */
export function createIdentityClient({ baseUrl, timeoutMs, sign }: Options) {
  const client = httpClient({ baseUrl, timeoutMs });

  return async function recognise(credential: Credential): Promise<Recognised | null> {
    const token = await sign({ kind: 'service', service: 'gateway' });
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
