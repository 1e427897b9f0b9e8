import { LRUCache } from 'lru-cache';

/** Work that is known by an id and done once, as far back as the last `max` ids. */
type DedupCache = {
  /** The first call does the work; others wait for it and fail with it. Work that failed may be done again. */
  runOnce(id: string, work: () => Promise<void>): Promise<void>;
};

export function createDedupCache(max: number): DedupCache {
  const started = new LRUCache<string, Promise<void>>({ max });
  return {
    runOnce(id, work) {
      const before = started.get(id);
      if (before) return before;
      const done = work();
      started.set(id, done);
      done.catch(() => {
        if (started.peek(id) === done) started.delete(id);
      });
      return done;
    },
  };
}
