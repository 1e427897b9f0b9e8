import type { CompanySnapshot, UserSnapshot } from '@app/contracts';
import type { CompanyProjections } from './company-projection-store.ts';
import type { IdentityClient } from './identity-client.ts';

/** Companies and users as this service sees them. What a request names is never unknown for being new (design section 2). */
export type CompanyDirectory = {
  /** The copy or, where it lacks, what identity says, kept then; null where there is no such company. */
  company(id: string, token: string): Promise<CompanySnapshot | null>;
  /** By id, those that are users of that company; asked of identity where copies lack. */
  users(companyId: string, ids: string[], token: string): Promise<Map<string, UserSnapshot>>;
  /** What the copies hold, for reads: they ask nobody. */
  knownCompanies(ids: string[]): Promise<Map<string, CompanySnapshot>>;
  knownUsers(ids: string[]): Promise<Map<string, UserSnapshot>>;
};

type Deps = { projections: CompanyProjections; identity: IdentityClient };

export function createCompanyDirectory({ projections: copies, identity }: Deps): CompanyDirectory {
  return {
    async company(id, token) {
      const [copy] = await copies.companies([id]);
      if (copy) return copy;
      const company = await identity.company(id, token);
      if (company) await copies.saveCompany(company);
      return company;
    },
    async users(companyId, ids, token) {
      const wanted = [...new Set(ids)];
      const known = await copies.users(wanted);
      const unknown = wanted.filter((id) => !known.some((user) => user.id === id));
      const asked = unknown.length > 0 ? await identity.users(companyId, unknown, token) : [];
      await Promise.all(asked.map((user) => copies.saveUser(user)));
      return byId([...known, ...asked].filter((user) => user.company_id === companyId));
    },
    knownCompanies: async (ids) => byId(await copies.companies([...new Set(ids)])),
    knownUsers: async (ids) => byId(await copies.users([...new Set(ids)])),
  };
}

function byId<T extends { id: string }>(found: T[]): Map<string, T> {
  return new Map(found.map((one) => [one.id, one]));
}
