import { createBatcher, findManyRaw } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type EndpointRecord, endpointsOf, live, type Target, toTarget } from './endpoint-store.ts';

/** An endpoint as it was read then, ms since 1970. */
export type KnownTarget = { target: Target; readAt: number };

/** Endpoints as they are by now, for deliveries that wait; null stands for one that was deleted. */
export type TargetStore = {
  /** Those asked about at once are one query. */
  read(id: string): Promise<Target | null>;
  /** Read anew where what is known is older than a second: it may have been changed through any replica. */
  current(known: KnownTarget): Promise<Target | null>;
  /** It was changed here, so nothing is known of it any more. */
  forget(id: string): void;
};

const atOnce = 500;
const freshMs = 1_000;
/** What was read for one delivery serves the others of its endpoint for so long. */
const sharedMs = 500;

export function createTargetStore(connection: Connection): TargetStore {
  const collection = endpointsOf(connection);
  const reads = createBatcher({
    maxBatch: atOnce,
    async run(ids: string[]) {
      const found = await findManyRaw<EndpointRecord>(collection as never, {
        filter: { _id: { $in: [...new Set(ids)] }, ...live },
      });
      const targets = new Map(found.map((one) => [one._id, toTarget(one)]));
      return ids.map((id) => targets.get(id) ?? null);
    },
  });
  let shared = new Map<string, Promise<Target | null>>();
  let sharedSince = 0;

  function readShared(id: string): Promise<Target | null> {
    if (Date.now() - sharedSince > sharedMs) {
      shared = new Map();
      sharedSince = Date.now();
    }
    const reading = shared.get(id) ?? reads.add(id);
    shared.set(id, reading);
    reading.catch(() => shared.delete(id));
    return reading;
  }

  return {
    read: reads.add,
    current: async ({ target, readAt }) => (Date.now() - readAt < freshMs ? target : readShared(target.id)),
    forget: (id) => void shared.delete(id),
  };
}
