import { type AuditOrigin, type AuditSource, auditActor, type Principal } from '@app/contracts';
import { lastForwarded } from './client-address.ts';

type Request = { headers: NodeJS.Dict<string | string[]> };

const maxUserAgentLength = 200;
const maxAddressLength = 64;

/** Who made a request, and where it came from, for the audit log. */
export function auditSource({ principal, req }: { principal: Principal | null; req: Request }): AuditSource {
  return { actor: auditActor(principal), from: auditOrigin(req) };
}

/** Where a request came from. `address`: null without `X-Forwarded-For`, since the peer is not the client. */
export function auditOrigin({ headers }: Request): AuditOrigin {
  const userAgent = headers['user-agent'];
  return {
    address: lastForwarded(headers).slice(0, maxAddressLength) || null,
    user_agent: typeof userAgent === 'string' ? userAgent.slice(0, maxUserAgentLength) : null,
  };
}
