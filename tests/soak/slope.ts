/** A value at a time, in seconds. */
export type Point = { atS: number; value: number };

/**
 * The slope of a line through the points, per second: the median of the slopes of all pairs (Theil–Sen). A few wild points, such as the
 * memory just before a garbage collection, do not move it. 0 for fewer than two points.
 */
export function slopeOf(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1))
      if (to.atS !== from.atS) slopes.push((to.value - from.value) / (to.atS - from.atS));
  }
  return medianOf(slopes);
}

/** 0 for no values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
