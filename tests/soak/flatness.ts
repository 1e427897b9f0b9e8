import { type Look, type MeasureKey, measures } from './measures.ts';
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

/** In fewer, one wild look is a slope. */
const leastLooks = 20;

/** Judges the second half of a run: in the first one caches fill, pools grow and code is compiled. @throws RangeError for too few looks */
export function linesOf(looks: readonly Look[]): Line[] {
  const half = looks.slice(Math.floor(looks.length / 2));
  const [first, last] = [half[0], half.at(-1)];
  if (!first || !last || looks.length < leastLooks)
    throw new RangeError(
      `${looks.length} looks say nothing of a slope, ${leastLooks} are the least: is the machine too busy?`,
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

/** The points of one line; a look that could not see it is left out. */
export function pointsOf(looks: readonly Look[], key: MeasureKey, name: string): Point[] {
  return looks.flatMap(({ atS, values }) => {
    const value = values[key][name];
    return value === undefined ? [] : [{ atS, value }];
  });
}
