import { type MeasureKey, measures, type Sample } from './measures.ts';
import { medianOf, type Point, slopeOf } from './slope.ts';

/** How one line went. */
export type Line = {
  measure: MeasureKey;
  /** A service or a server. */
  name: string;
  median: number;
  /** By its slope, from the middle to the end. */
  growth: number;
  mayGrow: number;
  isFlat: boolean;
};

/** In fewer, one outlier is a slope. */
const leastSamples = 20;

/** Judges the second half of a run: in the first one caches fill, pools grow and code is compiled. @throws RangeError for too few samples */
export function linesOf(samples: readonly Sample[]): Line[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const [first, last] = [half[0], half.at(-1)];
  if (!first || !last || samples.length < leastSamples)
    throw new RangeError(
      `${samples.length} samples say nothing of a slope, ${leastSamples} are the least: is the machine too busy?`,
    );
  const lastsS = last.atS - first.atS;
  return measures.flatMap(({ key, mayGrow }) =>
    Object.keys(last.values[key]).map((name): Line => {
      const points = pointsOf(half, key, name);
      const median = medianOf(points.map(({ value }) => value));
      const growth = slopeOf(points) * lastsS;
      const bound = Math.max(mayGrow.by, mayGrow.share * median);
      return { measure: key, name, median, growth, mayGrow: bound, isFlat: growth <= bound };
    }),
  );
}

/** The points of one line; a sample without it is left out. */
export function pointsOf(samples: readonly Sample[], key: MeasureKey, name: string): Point[] {
  return samples.flatMap(({ atS, values }) => {
    const value = values[key][name];
    return value === undefined ? [] : [{ atS, value }];
  });
}
