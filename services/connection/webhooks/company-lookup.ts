import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

type Deps = {
  companies: { exists(id: string): Promise<boolean> };
  now: () => Date;
  /** Delays between the queries. */
  delaysMs?: readonly number[];
};

/** An id starts with the second of its creation. */
const maxAgeToWaitMs = 60_000;
/** Five seconds in total: a provider waits as long for its answer. */
const defaultDelaysMs = [50, 100, 200, 400, 800, 1_600, 1_600];
const maxWaiting = 100;
const missingCacheMs = 30_000;
const maxMissing = 1_000;

export function createCompanyLookup({ companies, now, delaysMs = defaultDelaysMs }: Deps) {
  const missing = new LRUCache<string, true>({ max: maxMissing, ttl: missingCacheMs });
  let waiting = 0;

  async function waitFor(id: string): Promise<boolean> {
    waiting += 1;
    try {
      for (const ms of delaysMs) {
        await delay(ms);
        if (await companies.exists(id)) return true;
      }
    } finally {
      waiting -= 1;
    }
    missing.set(id, true);
    return false;
  }

  return {
    /**
     * Whether the company exists. Waits for a company that was created a moment ago: its event may still be on the way. Anybody
     * may send ids, so few requests wait at once, and an id that was waited for in vain is not waited for again soon.
     */
    async exists(id: string): Promise<boolean> {
      if (await companies.exists(id)) return true;
      const ageMs = now().getTime() - Number.parseInt(id.slice(0, 8), 16) * 1000;
      const isWorthWaiting = Math.abs(ageMs) <= maxAgeToWaitMs && !missing.has(id) && waiting < maxWaiting;
      return isWorthWaiting && waitFor(id);
    },
  };
}
