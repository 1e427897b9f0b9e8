import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import type { CompanyProjections } from './company-projection-store.ts';
import type { IdentityClient } from './identity-client.ts';

/**
 * Companies and users of identity. What is not projected yet is read from identity, so that new
 * companies and users are never unknown.
 */
export type CompanyDirectory = ReturnType<typeof createCompanyDirectory>;

type Deps = { projections: CompanyProjections; identity: IdentityClient };

export function createCompanyDirectory({ projections, identity }: Deps) {
  async function findOrFetch(
    id: string,
    fetch: () => Promise<CompanySnapshot | null>,
  ): Promise<CompanySnapshot | null> {
    const [projection] = await projections.companies([id]);
    if (projection) return projection;
    const company = await fetch();
    if (company) await projections.saveCompany(company);
    return company;
  }

  const company = (id: string, token: string) => findOrFetch(id, () => identity.company(id, token));

  return {
    /** The projection or, if there is none, identity's answer, which is then saved; null if there is no such company. */
    company,
    /** The names of these companies in their order; null: there is no such company. */
    async names(ids: string[], token: string): Promise<(string | null)[]> {
      const projected = byId(await projections.companies(ids));
      return Promise.all(ids.map(async (id) => (projected.get(id) ?? (await company(id, token)))?.name ?? null));
    },
    /** The same, on behalf of the platform's administrator. */
    companyForPlatform: (id: string, token: string): Promise<CompanySnapshot | null> =>
      findOrFetch(id, () => identity.companyForPlatform(id, token)),
    /** The active users of that company among `ids`, by id. Users without a projection are read from identity. */
    async users(companyId: string, ids: string[], token: string): Promise<Map<string, UserSnapshot>> {
      const wanted = [...new Set(ids)];
      const projected = await projections.users(wanted);
      const unknown = wanted.filter((id) => !projected.some((user) => user.id === id));
      const fetched = unknown.length > 0 ? await identity.users(companyId, unknown, token) : [];
      await Promise.all(fetched.map((user) => projections.saveUser(user)));
      return byId([...projected, ...fetched].filter((user) => user.company_id === companyId && user.active !== false));
    },
    /** Those users that are projected, for reads, which never call identity. */
    projectedUsers: async (ids: string[]): Promise<Map<string, UserSnapshot>> =>
      byId(await projections.users([...new Set(ids)])),
  };
}

function byId<T extends { id: string }>(found: T[]): Map<string, T> {
  return new Map(found.map((one) => [one.id, one]));
}
