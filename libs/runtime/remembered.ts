type Cache<Value> = {
  get(key: string): Promise<Value> | undefined;
  set(key: string, value: Promise<Value>): unknown;
  delete(key: string): unknown;
};

/** The promise that the cache has for the key, else one that is made and kept in it. One that fails may be made again. */
export function remembered<Value>(cache: Cache<Value>, key: string, make: () => Promise<Value>): Promise<Value> {
  const known = cache.get(key);
  if (known) return known;
  const made = make();
  cache.set(key, made);
  made.catch(() => {
    if (cache.get(key) === made) cache.delete(key);
  });
  return made;
}
