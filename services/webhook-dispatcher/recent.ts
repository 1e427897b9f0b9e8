/** Work that is known by an id, and done once however often it comes: as far back as the last so many, up to twice as many. */
export type Recent = {
  /** The first call does the work, any other waits with it and fails with it. What failed may be done anew. */
  once(id: string, work: () => Promise<void>): Promise<void>;
};

export function createRecent(most: number): Recent {
  // Two generations, of which the older is dropped as a whole: to take the oldest out of a map one by one is slow in V8.
  let known = new Map<string, Promise<void>>();
  let older = new Map<string, Promise<void>>();

  function remember(id: string, done: Promise<void>): void {
    if (known.size >= most) {
      older = known;
      known = new Map();
    }
    known.set(id, done);
  }

  function forget(id: string, failed: Promise<void>): void {
    for (const generation of [known, older]) if (generation.get(id) === failed) generation.delete(id);
  }

  return {
    once(id, work) {
      const before = known.get(id) ?? older.get(id);
      if (before) return before;
      const done = work();
      remember(id, done);
      done.catch(() => forget(id, done));
      return done;
    },
  };
}
