/** How much of something limited each caller holds at this moment. */
export type Shares = {
  /** False where the caller holds as much as one may; then nothing is taken. */
  take(key: string, amount?: number): boolean;
  giveBack(key: string, amount?: number): void;
};

/** At most `most` for each key; a key that holds nothing costs nothing. */
export function createShares(most: number): Shares {
  const held = new Map<string, number>();

  return {
    take(key, amount = 1) {
      const after = (held.get(key) ?? 0) + amount;
      if (after > most) return false;
      held.set(key, after);
      return true;
    },
    giveBack(key, amount = 1) {
      const after = (held.get(key) ?? 0) - amount;
      if (after > 0) held.set(key, after);
      else held.delete(key);
    },
  };
}
