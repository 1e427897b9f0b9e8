import { createCompanyClosures } from '@app/service';
import type { Connection } from 'mongoose';
import type { Endpoint } from './endpoint.ts';
import { endpointCollection, notDeleted, toEndpoint } from './endpoint-store.ts';

/** The closed companies, by identity's events. Their endpoints are inactive, even if they are set to active. */
export type CompanyClosureStore = ReturnType<typeof createCompanyClosureStore>;

export function createCompanyClosureStore(connection: Connection) {
  const closures = createCompanyClosures(connection);
  const endpoints = endpointCollection(connection);
  return {
    update: closures.update,
    /** Applies the company's state to its endpoints. @returns those of a closed company: their waiting deliveries are to be canceled */
    async apply(companyId: string): Promise<Endpoint[]> {
      const company = await closures.find(companyId);
      if (!company) return [];
      const { closed, version } = company;
      const older = { companyId, ...notDeleted, companyVersion: { $not: { $gte: version } } };
      await endpoints.updateMany(older, [{ $set: { companyVersion: version, ...(closed ? whenClosed : whenOpen) } }]);
      if (!closed) return [];
      const ofCompany = { companyId, ...notDeleted, companyClosed: true };
      return (await endpoints.find(ofCompany).toArray()).map(toEndpoint);
    },
  };
}

const whenClosed = { companyClosed: true };

/** Counts as a new activation, so that a late cancellation of the closed time does not touch new deliveries. */
const whenOpen = {
  companyClosed: '$$REMOVE',
  enablings: { $cond: ['$companyClosed', { $add: [{ $ifNull: ['$enablings', 0] }, 1] }, '$enablings'] },
};
