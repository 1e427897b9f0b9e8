import { companyCreated, userCreated } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { CompanyProjections } from './company-projection-store.ts';

/** Identity's events, from which the copies are kept. */
export function companySubscriptions(copies: CompanyProjections): Subscription[] {
  return [
    on(companyCreated, ({ data }, session) => copies.saveCompany(data.company, session)),
    on(userCreated, ({ data }, session) => copies.saveUser(data.user, session)),
  ];
}
