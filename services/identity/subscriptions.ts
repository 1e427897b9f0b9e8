import {
  companyCreated,
  type NewEvent,
  type SnapshotsRequested,
  snapshotsRequested,
  userChanged,
} from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents } from '@app/messaging';
import type { CompanyStore } from './companies/company-store.ts';
import { userSnapshot } from './users/user.ts';
import type { UserStore } from './users/user-store.ts';

type Deps = { companies: CompanyStore; users: UserStore; broker: Pick<Broker, 'publish'>; now: () => Date };

const pageSize = 500;

/**
 * Asked for companies or users, identity publishes one page of their snapshots and then asks itself for the next page. A crash
 * repeats at most one page; snapshots are idempotent.
 */
export function subscriptions({ companies, users, broker, now }: Deps): ConsumerOptions[] {
  async function readSnapshots({ kind, after }: SnapshotsRequested): Promise<NewEvent[]> {
    const page = { limit: pageSize, ...(after === null ? {} : { cursor: after }) };
    if (kind === 'companies') {
      return (await companies.list(page)).map((company) => companyCreated({ company }, now(), company.id));
    }
    if (kind !== 'users') return [];
    return (await users.list(page)).map((user) => userChanged({ user: userSnapshot(user) }, now(), user.id));
  }

  const publishPage = on(snapshotsRequested, async ({ data }) => {
    const snapshots = await readSnapshots(data);
    const last = snapshots.at(-1)?.subject;
    if (!last) return;
    const nextRequest = snapshots.length === pageSize ? [snapshotsRequested({ ...data, after: last }, now())] : [];
    await broker.publish(toCloudEvents('identity', [...snapshots, ...nextRequest]));
  });
  return [{ queue: 'facts', table: [publishPage], prefetch: 1 }];
}
