/**
 * The order in which callers take turns, as their indices: each comes as often as its share of `perSecond`, and is spread over the
 * whole round. @throws RangeError without a caller
 */
export function turnsOf(perSecond: readonly number[]): number[] {
  const least = Math.min(...perSecond);
  if (!(least > 0) || !Number.isFinite(least)) throw new RangeError('every caller sends something');
  const turns = perSecond.flatMap((rate, index) => {
    const times = Math.round(rate / least);
    return Array.from({ length: times }, (_, turn) => ({ index, at: (turn + 0.5) / times }));
  });
  return turns.sort((a, b) => a.at - b.at || a.index - b.index).map(({ index }) => index);
}

/** How many of `perSecond` are due by now and were not taken yet, and how late the first of them is. */
export function dueBy(elapsedMs: number, perSecond: number, taken: number): { count: number; lateMs: number } {
  const count = Math.max(0, Math.floor((elapsedMs * perSecond) / 1000) - taken);
  return { count, lateMs: count === 0 ? 0 : elapsedMs - ((taken + 1) * 1000) / perSecond };
}
