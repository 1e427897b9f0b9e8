/** The result of one round of load. Times in milliseconds. */
export type Sample = { requests: number; perSecond: number; p50: number; p99: number };

/** @throws RangeError for an empty list */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The quantile of values in ascending order, interpolated. @throws RangeError for an empty list */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) throw new RangeError('a quantile needs values');
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below + (above - below) * (at - Math.floor(at));
}

/** The median of each figure over the rounds. */
export function medianSample(rounds: readonly Sample[]): Sample {
  const of = (figure: keyof Sample) => median(rounds.map((round) => round[figure]));
  return { requests: of('requests'), perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
}

/** The median of the ratios of each round: other load on the machine changes more between rounds than within one. */
export function medianRatio(rounds: readonly Sample[], baseline: readonly Sample[], figure: keyof Sample): number {
  return median(rounds.map((round, index) => round[figure] / (baseline[index] as Sample)[figure]));
}
