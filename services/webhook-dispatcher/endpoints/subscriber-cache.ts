// Why it is so: docs/decisions/attempt-before-the-insert.md
import { createBatcher, remembered } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import type { EndpointWithSecret } from './endpoint.ts';
import type { CachedEndpoint } from './endpoint-cache-store.ts';
import { type EndpointStore, subscribersCachedMs } from './endpoint-store.ts';

/** `cachedMs` is for tests: the store counts on its default. */
type Deps = { endpoints: Pick<EndpointStore, 'listOfCompanies'>; cachedMs?: number };

/** How many companies one query reads. */
const maxBatch = 200;
const maxCompanies = 1_000;

/** The endpoints that an event goes to. Those of a company are read once for all of its events within `subscribersCachedMs`. */
export class SubscriberCache {
  readonly #companies: LRUCache<string, Promise<CachedEndpoint[]>>;
  readonly #list: (companyId: string) => Promise<EndpointWithSecret[]>;

  constructor({ endpoints, cachedMs = subscribersCachedMs }: Deps) {
    this.#companies = new LRUCache({ max: maxCompanies, ttl: cachedMs });
    const lists = createBatcher({
      name: 'find subscribers',
      maxBatch,
      async run(companyIds: string[]) {
        const found = Map.groupBy(await endpoints.listOfCompanies(companyIds), ({ companyId }) => companyId);
        return companyIds.map((id) => found.get(id) ?? []);
      },
    });
    this.#list = (companyId) => lists.add(companyId);
  }

  /** The endpoints of these companies that subscribe to the event, active or not. */
  async find(companyIds: readonly string[], event: string): Promise<CachedEndpoint[]> {
    // The age of an entry counts from here, before the read.
    const found = await Promise.all(companyIds.map((id) => remembered(this.#companies, id, () => this.#read(id))));
    return found.flat().filter(({ endpoint }) => endpoint.events.includes(event));
  }

  async #read(companyId: string): Promise<CachedEndpoint[]> {
    const readAt = performance.now();
    return (await this.#list(companyId)).map((endpoint) => ({ endpoint, readAt }));
  }
}
