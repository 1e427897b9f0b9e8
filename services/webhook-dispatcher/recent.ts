/** The last so many ids, without end and in bounded memory. */
export type Recent = {
  /** False where it is among them already. */
  add(id: string): boolean;
  remove(id: string): void;
};

export function createRecent(most: number): Recent {
  const ids = new Set<string>();
  return {
    add(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > most) ids.delete(ids.values().next().value as string);
      return true;
    },
    remove: (id) => void ids.delete(id),
  };
}
