import { companyCreated, factsRequested } from '@app/contracts';
import { type Broker, type ConsumerOptions, on, seal } from '@app/messaging';
import type { CompanyStore } from './company-store.ts';

type Deps = { companies: CompanyStore; broker: Pick<Broker, 'publish'>; now: () => Date };

const pageSize = 500;

/**
 * Everything that identity listens to. Asked for companies, it publishes one page of them again and then asks itself for
 * the next: a crash repeats at most one page, and a company told twice is the same.
 */
export function subscriptions({ companies, broker, now }: Deps): ConsumerOptions[] {
  const again = on(factsRequested, async ({ data }) => {
    if (data.kind !== 'companies') return;
    const page = await companies.list({ limit: pageSize, ...(data.after === null ? {} : { cursor: data.after }) });
    const last = page.at(-1);
    if (!last) return;
    const told = page.map((company) => companyCreated({ company }, now(), company.id));
    const next = page.length === pageSize ? [factsRequested({ ...data, after: last.id }, now())] : [];
    await broker.publish(seal('identity', [...told, ...next]));
  });
  return [{ queue: 'facts', table: [again], prefetch: 1 }];
}
