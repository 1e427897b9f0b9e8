import type { TsSchemas } from '@app/api-client';
import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { useChange } from '../../api/query.ts';
import type { ExportFormat } from '../../components/data-display/export-buttons.tsx';
import { anyText } from '../../routing/url-state.ts';
import type { Permission } from '../../session/permissions.ts';

export type User = TsSchemas['User'];

const usersKey = ['users'];

export const nameOf = ({ first_name, last_name }: User) => `${first_name} ${last_name}`;

const statuses = ['active', 'invited', 'inactive'] as const;
const permissions = ['tickets', 'accounting', 'api_webhooks', 'admin'] as const satisfies readonly Permission[];
export const userFilters = { q: anyText, status: statuses, permission: permissions } as const;
export type UserFilter = { q?: string; status?: (typeof statuses)[number]; permission?: Permission };

function queryOf({ q, status, permission }: UserFilter) {
  return {
    ...(q && { q }),
    ...(permission && { permission: [permission] }),
    ...(status === 'inactive' && { active: 'false' as const }),
    ...(status === 'active' && { active: 'true' as const, invited: 'false' as const }),
    ...(status === 'invited' && { active: 'true' as const, invited: 'true' as const }),
  };
}

/** The users as a file. */
export function readSheet(filter: UserFilter, format: ExportFormat): Promise<Blob> {
  const query = { ...queryOf(filter), ...format };
  return call(ts.GET('/company/users/export', { params: { query }, parseAs: 'blob' }));
}

export function useUsers(filter: UserFilter) {
  const query = queryOf(filter);
  return usePages({
    key: [...usersKey, query],
    read: (cursor, signal) =>
      pageOf(ts.GET('/company/users', { params: { query: { ...pageQuery(cursor), ...query } }, signal })),
    refetchInterval: whileErasing,
  });
}

const erasingEveryMs = 30_000;

/**
 * The polling interval in ms while a user is being erased, which ends by itself after some ten
 * minutes; else false.
 */
export function whileErasing(users: User[]): number | false {
  return users.some(({ erasure }) => erasure?.state === 'running') && erasingEveryMs;
}

export type Invitation = Pick<User, 'email' | 'first_name' | 'last_name' | 'phone' | 'permissions' | 'place_ids'>;

const byId = (id: string) => ({ params: { path: { id } } });

export const useInvite = () => useChange(usersKey, (body: Invitation) => call(ts.POST('/company/users', { body })));

export type UserChange = Partial<
  Pick<User, 'first_name' | 'last_name' | 'phone' | 'permissions' | 'active' | 'place_ids'>
> & {
  take_over_api_tokens?: true;
};

export const useChangeUser = () =>
  useChange(usersKey, ({ id, change }: { id: string; change: UserChange }) =>
    call(ts.PATCH('/company/users/{id}', { ...byId(id), body: change })),
  );

export const useErase = () => useChange(usersKey, (id: string) => call(ts.POST('/company/users/{id}/erase', byId(id))));

export const useInviteAgain = () =>
  useChange(usersKey, (id: string) => call(ts.POST('/company/users/{id}/invitation', byId(id))));

export const usePasswordLink = () =>
  useMutation({ mutationFn: (id: string) => call(ts.POST('/company/users/{id}/password-link', byId(id))) });
