import { companyCreated, userCreated } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { CompanyProjections } from './company-projection-store.ts';

/** Projects companies and users from identity's events. */
export function companySubscriptions(projections: CompanyProjections): Subscription[] {
  return [
    on(companyCreated, ({ data }, session) => projections.saveCompany(data.company, session)),
    on(userCreated, ({ data }, session) => projections.saveUser(data.user, session)),
  ];
}
