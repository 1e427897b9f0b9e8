/** A pseudo-random generator: the same seed gives the same numbers. */
export type Random = ReturnType<typeof createRandom>;

/** The Mulberry32 algorithm. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    /** From 0 up to and without 1. */
    next,
    /** A whole number, both ends included. */
    whole,
    one: <T>(of: readonly T[]): T => of[whole(0, of.length - 1)] as (typeof of)[number],
    /** True with that probability. */
    chance: (probability: number): boolean => next() < probability,
    /** One of the keys, each as often as its weight says. */
    weighted: <K extends string>(weights: Record<K, number>): K => {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const found = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? (entries[0] as (typeof entries)[number]))[0];
    },
  };
}

/** The same things in another order. */
export function shuffled<T>(things: readonly T[], random: Random): T[] {
  const left = [...things];
  return things.map(() => left.splice(random.whole(0, left.length - 1), 1)[0] as T);
}
