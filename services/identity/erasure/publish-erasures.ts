import { userErased } from '@app/contracts';
import { readPage } from '@app/kernel';
import type { RestorePage } from '@app/service/restore';
import { userSnapshot } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

type Deps = { users: Pick<UserStore, 'list'>; now: () => Date };

const pageSize = 500;

/**
 * The events of one page of users that publish their erasures again, for another service that was
 * restored. `after`: the last user id of the previous page; null for the first page.
 */
export async function publishErasures({ users, now }: Deps, after: string | null): Promise<RestorePage> {
  const from = { limit: pageSize, ...(after === null ? {} : { cursor: after }) };
  const { items, nextCursor: next } = await readPage(from, users.list, (last) => last.id);
  const events = items.flatMap(({ erasure, ...user }) => {
    if (!erasure) return [];
    return [userErased({ user: userSnapshot(user), erased_at: erasure.requested_at }, now(), user.id)];
  });
  return { events, next };
}
