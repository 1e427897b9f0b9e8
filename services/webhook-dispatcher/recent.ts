/** Work that is known by an id, and done once however often it comes: as far back as the last so many, in bounded memory. */
export type Recent = {
  /** The first call does the work, any other waits with it and fails with it. What failed may be done anew. */
  once(id: string, work: () => Promise<void>): Promise<void>;
};

export function createRecent(most: number): Recent {
  const known = new Map<string, Promise<void>>();
  return {
    once(id, work) {
      const before = known.get(id);
      if (before) return before;
      const done = work();
      known.set(id, done);
      done.catch(() => known.get(id) === done && known.delete(id));
      if (known.size > most) known.delete(known.keys().next().value as string);
      return done;
    },
  };
}
