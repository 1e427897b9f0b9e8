/** How much of something each key holds at this moment: requests, connections, bytes. */
export type KeyedLimit = {
  /** False if the key would hold more than its limit; then nothing is acquired. */
  tryAcquire(key: string, amount?: number): boolean;
  release(key: string, amount?: number): void;
};

/** At most `limit` for each key. A key that holds nothing takes no memory. */
export function createKeyedLimit(limit: number): KeyedLimit {
  const acquired = new Map<string, number>();

  return {
    tryAcquire(key, amount = 1) {
      const after = (acquired.get(key) ?? 0) + amount;
      if (after > limit) return false;
      acquired.set(key, after);
      return true;
    },
    release(key, amount = 1) {
      const after = (acquired.get(key) ?? 0) - amount;
      if (after > 0) acquired.set(key, after);
      else acquired.delete(key);
    },
  };
}
