import { companyCreated, userCreated } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { CompanyCopies } from './company-copies-store.ts';

/** Identity's events, from which the copies are kept. */
export function companySubscriptions(copies: CompanyCopies): Subscription[] {
  return [
    on(companyCreated, ({ data }, session) => copies.keepCompany(data.company, session)),
    on(userCreated, ({ data }, session) => copies.keepUser(data.user, session)),
  ];
}
