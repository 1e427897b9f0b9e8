import type { NamesOf } from '@app/service/statistics';
import type { CompanyProjections } from '../companies/company-projection-store.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';

type Deps = {
  referentials: Pick<ReferentialStore, 'byIds'>;
  contractors: Pick<ContractorStore, 'byIds'>;
  projections: Pick<CompanyProjections, 'companies'>;
};

/** What the groups of figures of tickets are called, with deleted ones. */
export function createNamesOf({ referentials, contractors, projections }: Deps): NamesOf {
  return async (companyId, dimension, ids) => {
    if (dimension === 'priority') return null;
    if (dimension === 'client') return new Map((await projections.companies(ids)).map(({ id, name }) => [id, name]));
    const found =
      dimension === 'contractor'
        ? [...(await contractors.byIds(companyId, ids)).values()]
        : await referentials.byIds(companyId, ids);
    return new Map(found.map(({ _id, name }) => [_id, typeof name === 'string' ? name : null]));
  };
}
