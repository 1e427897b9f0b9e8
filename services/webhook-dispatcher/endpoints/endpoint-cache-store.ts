import { createBatcher, remembered } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import type { EndpointWithSecret } from './endpoint.ts';
import { endpointCollection, notDeleted, toEndpoint } from './endpoint-store.ts';

/** `readAt` is taken just before the query, by `performance.now()`: later changes may be missing. */
export type CachedEndpoint = { endpoint: EndpointWithSecret; readAt: number };

/** Endpoints for deliveries that wait: never older than a second. Null stands for a deleted endpoint. */
export type EndpointCache = ReturnType<typeof createEndpointCache>;

const maxBatch = 500;
const freshMs = 1_000;
/** A read is shared by the deliveries of the endpoint for this time. */
const sharedMs = 500;

export function createEndpointCache(connection: Connection) {
  const collection = endpointCollection(connection);
  const reads = createBatcher({
    name: 'read endpoints',
    maxBatch,
    async run(ids: string[]) {
      const found = await collection.find({ _id: { $in: [...new Set(ids)] }, ...notDeleted }).toArray();
      const endpoints = new Map(found.map((one) => [one._id, toEndpoint(one)]));
      return ids.map((id) => endpoints.get(id) ?? null);
    },
  });
  const recent = new LRUCache<string, Promise<CachedEndpoint | null>>({ max: 10_000, ttl: sharedMs });

  async function read(id: string): Promise<CachedEndpoint | null> {
    const readAt = performance.now();
    const endpoint = await reads.add(id);
    return endpoint && { endpoint, readAt };
  }

  return {
    /** Reads the endpoint from the database; concurrent reads are one query. */
    read,
    /** The given endpoint, or a newer one if it was read more than a second ago: any replica may have changed it. */
    async getFresh(cached: CachedEndpoint): Promise<CachedEndpoint | null> {
      const { id } = cached.endpoint;
      return performance.now() - cached.readAt < freshMs ? cached : remembered(recent, id, () => read(id));
    },
    /** Forgets the endpoint, which was changed through this process. */
    evict: (id: string): void => void recent.delete(id),
  };
}
