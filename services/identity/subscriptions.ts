import {
  companyCreated,
  type NewEvent,
  type SnapshotsRequested,
  snapshotsRequested,
  userCreated,
} from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents } from '@app/messaging';
import type { CompanyStore } from './company-store.ts';
import { userFacts } from './user.ts';
import type { UserStore } from './user-store.ts';

type Deps = { companies: CompanyStore; users: UserStore; broker: Pick<Broker, 'publish'>; now: () => Date };

const pageSize = 500;

/**
 * Everything that identity listens to. Asked for companies, or users, it publishes one page of them again and then asks itself
 * for the next: a crash repeats at most one page, and what is told twice is the same.
 */
export function subscriptions({ companies, users, broker, now }: Deps): ConsumerOptions[] {
  async function pageOf({ kind, after }: SnapshotsRequested): Promise<NewEvent[]> {
    const page = { limit: pageSize, ...(after === null ? {} : { cursor: after }) };
    if (kind === 'companies') {
      return (await companies.list(page)).map((company) => companyCreated({ company }, now(), company.id));
    }
    if (kind !== 'users') return [];
    return (await users.list(page)).map((user) => userCreated({ user: userFacts(user) }, now(), user.id));
  }

  const again = on(snapshotsRequested, async ({ data }) => {
    const told = await pageOf(data);
    const last = told.at(-1)?.subject;
    if (!last) return;
    const next = told.length === pageSize ? [snapshotsRequested({ ...data, after: last }, now())] : [];
    await broker.publish(toCloudEvents('identity', [...told, ...next]));
  });
  return [{ queue: 'facts', table: [again], prefetch: 1 }];
}
