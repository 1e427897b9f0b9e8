/** Numbers that look drawn and are the same at every start: a week that is filled again must ask for the same things. */
export type Random = {
  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number;
  pick<T>(things: readonly T[]): T;
  /** The same things in another order. */
  shuffled<T>(things: readonly T[]): T[];
};

/** Mulberry32: small, and even enough for a demonstration. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick: (things) => things[between(0, things.length - 1)] as (typeof things)[number],
    shuffled(things) {
      const left = [...things];
      return things.map(() => left.splice(between(0, left.length - 1), 1)[0] as (typeof things)[number]);
    },
  };
}
