/** At most `limit` for each key at one moment: of requests, connections, bytes. A key that holds nothing takes no memory. */
export function createKeyedLimit(limit: number) {
  const acquired = new Map<string, number>();

  return {
    /** False if the key would hold more than its limit; then nothing is acquired. */
    tryAcquire(key: string, amount = 1): boolean {
      const after = (acquired.get(key) ?? 0) + amount;
      if (after > limit) return false;
      acquired.set(key, after);
      return true;
    },
    release(key: string, amount = 1): void {
      const after = (acquired.get(key) ?? 0) - amount;
      if (after > 0) acquired.set(key, after);
      else acquired.delete(key);
    },
  };
}
