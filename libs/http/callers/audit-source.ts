import { type AuditOrigin, type AuditSource, auditActor, type Principal } from '@app/contracts';

type Request = { headers: NodeJS.Dict<string | string[]> };

const maxUserAgentLength = 200;
const maxAddressLength = 64;

/** Who made a request, and where it came from, for the audit log. */
export function auditSource({ principal, req }: { principal: Principal | null; req: Request }): AuditSource {
  return { actor: auditActor(principal), from: auditOrigin(req) };
}

/**
 * Where a request came from. `address` is the one that the gateway appends to `X-Forwarded-For`; null without the
 * header, since the peer is not the client.
 */
export function auditOrigin({ headers }: Request): AuditOrigin {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  const userAgent = headers['user-agent'];
  return {
    address: forwarded ? forwarded.slice(0, maxAddressLength) : null,
    user_agent: typeof userAgent === 'string' ? userAgent.slice(0, maxUserAgentLength) : null,
  };
}
