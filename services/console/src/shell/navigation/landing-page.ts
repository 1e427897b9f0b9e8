import { may } from '../../session/permissions.ts';
import type { Session } from '../../session/session.ts';

/**
 * The page after a sign-in that asked for no address: a user with one kind of work begins with it,
 * others with the list of what waits for them.
 */
export function landingPage(session: Pick<Session, 'permissions' | 'company'>): string {
  const { kind } = session.company;
  const [only, ...more] = [
    ...(may(session, 'accounting') && kind === 'client' ? ['/invoices'] : []),
    ...(may(session, 'tickets') ? [kind === 'client' ? '/tickets' : '/tickets?view=to-answer'] : []),
    ...(may(session, 'api_webhooks') ? ['/webhooks'] : []),
  ];
  return only !== undefined && more.length === 0 ? only : '/';
}
