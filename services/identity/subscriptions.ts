import {
  auditRecorded,
  companyChanged,
  companyCreated,
  type NewEvent,
  notificationRaised,
  notificationReadersChanged,
  type SnapshotsRequested,
  snapshotsRequested,
  userChanged,
  userCopiesErased,
  userErased,
} from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents } from '@app/messaging';
import { entryOfEvent } from './audit/audit-entry.ts';
import type { AuditLogStore } from './audit/audit-log-store.ts';
import { type Company, companySnapshot } from './companies/company.ts';
import type { CompanyStore } from './companies/company-store.ts';
import { type ErasureDeps, eraseAgain, recordCopiesErased } from './erasure/erase-user.ts';
import type { NotificationStore } from './notifications/notification-store.ts';
import { notifyUsers } from './notifications/notify-users.ts';
import { userSnapshot } from './users/user.ts';
import type { UserStore } from './users/user-store.ts';

type Deps = ErasureDeps &
  Parameters<typeof notifyUsers>[0] & {
    companies: CompanyStore;
    users: UserStore;
    auditLog: Pick<AuditLogStore, 'add'>;
    notifications: Pick<NotificationStore, 'readersChanged'>;
    broker: Pick<Broker, 'publish'>;
  };

const pageSize = 500;

/**
 * Asked for companies or users, identity publishes one page of their snapshots and then asks itself for the next page. A crash
 * repeats at most one page; snapshots are idempotent.
 */
export function subscriptions(deps: Deps): ConsumerOptions[] {
  const { companies, users, auditLog, broker, now } = deps;
  async function readSnapshots({ kind, after }: SnapshotsRequested): Promise<NewEvent[]> {
    const page = { limit: pageSize, ...(after === null ? {} : { cursor: after }) };
    if (kind === 'companies') {
      return (await companies.list(page)).flatMap((company) => companySnapshots(company, now()));
    }
    if (kind !== 'users') return [];
    return (await users.list(page)).map((user) => userChanged({ user: userSnapshot(user) }, now(), user.id));
  }

  const publishPage = on(snapshotsRequested, async ({ data }) => {
    const snapshots = await readSnapshots(data);
    const last = snapshots.at(-1)?.subject;
    if (!last) return;
    const nextRequest = snapshots.length >= pageSize ? [snapshotsRequested({ ...data, after: last }, now())] : [];
    await broker.publish(toCloudEvents('identity', [...snapshots, ...nextRequest]));
  });
  const erasures = [
    on(userErased, ({ data }) => eraseAgain(deps, data.user.id)),
    on(userCopiesErased, ({ data }) => recordCopiesErased(deps, { userId: data.user_id, service: data.service })),
  ];
  const raised = on(notificationRaised, ({ data }) => notifyUsers(deps, data));
  const readersChanged = on(notificationReadersChanged, ({ data, time }) =>
    deps.notifications.readersChanged(data, new Date(time)),
  );
  const record = on(auditRecorded, (event) => auditLog.add([entryOfEvent(event, event.data)]));
  return [
    { queue: 'snapshot-requests', table: [publishPage], prefetch: 1 },
    { queue: 'erasures', table: erasures },
    { queue: 'audit', table: [record] },
    { queue: 'notifications', table: [raised, readersChanged] },
  ];
}

/** A company that never changed has no `company.changed`, only the event of its creation. */
function companySnapshots(company: Company, at: Date): NewEvent[] {
  const created = companyCreated({ company: companySnapshot(company) }, at, company.id);
  return company.version === 0 ? [created] : [created, companyChanged({ company }, at, company.id)];
}
