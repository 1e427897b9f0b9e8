import type { TsSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { allPages, pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { optional, useChange } from '../../api/query.ts';
import { externalValue, useExternalValue } from '../../settings/external-value.ts';
import { whileErasing } from '../users/users.ts';

export type Company = TsSchemas['Company'];
export type User = TsSchemas['User'];
export type CompanyExport = TsSchemas['CompanyExport'];

const exportsEveryMs = 5_000;

/** In memory only: after a reload the page asks for it again. */
const token = externalValue<string | null>(null);

export function usePlatformToken(): string | null {
  return useExternalValue(token);
}

export function setPlatformToken(given: string | null): void {
  token.set(given);
}

/** The header takes precedence over the cookie of a user who may be signed in, too. */
const headersOf = (given: string | null) => ({ authorization: `Bearer ${given ?? ''}` });
const headers = () => headersOf(token.get());

/** Resolves if the platform accepts this token. @throws ApiError 401 */
export async function tryToken(given: string): Promise<void> {
  await call(ts.GET('/admin/companies', { params: { query: { limit: 1 } }, headers: headersOf(given) }));
}

const platformKey = ['platform'];

export function useCompanies(q?: string) {
  return usePages({
    key: [...platformKey, 'companies', q],
    read: (cursor, signal, limit) => {
      const params = { query: { ...pageQuery(cursor, limit), ...(q && { q }) } };
      return pageOf(ts.GET('/admin/companies', { params, headers: headers(), signal }));
    },
  });
}

/** All companies: for choices, and for the names of users' companies. */
export function useAllCompanies() {
  return useQuery({
    queryKey: [...platformKey, 'all companies'],
    queryFn: ({ signal }) =>
      allPages((cursor) => {
        const params = { query: { ...pageQuery(cursor), limit: 200 } };
        return pageOf(ts.GET('/admin/companies', { params, headers: headers(), signal }));
      }),
    staleTime: 60_000,
    ...optional,
  });
}

export function useUsers(companyId: string | undefined, q: string | undefined) {
  return usePages({
    key: [...platformKey, 'users', companyId, q],
    read: (cursor, signal, limit) => {
      const query = { ...pageQuery(cursor, limit), ...(companyId && { company_id: companyId }), ...(q && { q }) };
      const params = { query };
      return pageOf(ts.GET('/admin/users', { params, headers: headers(), signal }));
    },
    refetchInterval: whileErasing,
  });
}

type CompanyInput = { id: string | undefined; name: string; kind: 'client' | 'contractor'; siret: string | null };

/** Makes a company or, with its id, changes name and SIRET. */
export function useSaveCompany() {
  return useChange(platformKey, ({ id, name, kind, siret }: CompanyInput) =>
    id === undefined
      ? call(ts.POST('/admin/companies', { body: { name, kind, siret }, headers: headers() }))
      : call(
          ts.PATCH('/admin/companies/{id}', {
            params: { path: { id } },
            body: { name, siret },
            headers: headers(),
          }),
        ),
  );
}

type NewUser = Pick<User, 'company_id' | 'email' | 'first_name' | 'last_name' | 'phone' | 'permissions'> & {
  password: string;
};

export function useAddUser() {
  return useChange(platformKey, (body: NewUser) => call(ts.POST('/admin/users', { body, headers: headers() })));
}

export function setActive(id: string, active: boolean): Promise<User> {
  return call(ts.PATCH('/admin/users/{id}', { params: { path: { id } }, body: { active }, headers: headers() }));
}

export function useSetActive() {
  return useChange(platformKey, ({ id, active }: { id: string; active: boolean }) => setActive(id, active));
}

export function useErase() {
  return useChange(platformKey, (id: string) =>
    call(ts.POST('/admin/users/{id}/erase', { params: { path: { id } }, headers: headers() })),
  );
}

export function useExports() {
  return usePages({
    key: [...platformKey, 'exports'],
    read: (cursor, signal) => {
      const params = { query: pageQuery(cursor) };
      return pageOf(ts.GET('/admin/exports', { params, headers: headers(), signal }));
    },
    refetchInterval: exportsEveryMs,
  });
}

export function useBeginExport() {
  return useChange(platformKey, (id: string) =>
    call(ts.POST('/admin/companies/{id}/exports', { params: { path: { id } }, headers: headers() })),
  );
}

/** The archive as a whole: a link, which the browser would save as it comes, cannot carry the token. */
export function readArchive(id: string): Promise<Blob> {
  const params = { path: { id } };
  return call(ts.GET('/admin/exports/{id}/file', { params, headers: headers(), parseAs: 'blob' }));
}
