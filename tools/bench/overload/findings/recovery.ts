import { median, quantile } from '../../harness/load/statistics.ts';
import { type Answer, isServed } from '../answers.ts';

/** After this many good seconds in a row the platform counts as recovered. */
const goodSeconds = 3;

/**
 * What callers within their limits got: how many of their requests were served, and how fast those
 * were, in ms.
 */
export type CallerResult = { asked: number; served: number; p50: number; p99: number };

export function resultOf(answers: readonly Answer[]): CallerResult {
  const served = answers.filter(isServed);
  const sorted = Float64Array.from(served.map(({ ms }) => ms)).sort();
  const of = (share: number) => (sorted.length === 0 ? Number.POSITIVE_INFINITY : quantile(sorted, share));
  return { asked: answers.length, served: served.length, p50: of(0.5), p99: of(0.99) };
}

/** Those that were due from one time up to another. */
export function between(answers: readonly Answer[], from: number, to: number): Answer[] {
  return answers.filter(({ at }) => at >= from && at < to);
}

/**
 * Seconds from `from` until the platform has recovered: all requests of a second are served, half
 * of them within `usualMs`, and so in the next two seconds. Null if it did not recover in the
 * seconds that were observed.
 */
export function secondsUntilBack(answers: readonly Answer[], from: number, usualMs: number): number | null {
  const seconds = Map.groupBy(answers, ({ at }) => Math.floor((at - from) / 1000));
  const last = Math.max(...seconds.keys(), 0);
  const isGood = (second: number) => {
    const some = seconds.get(second) ?? [];
    return some.length > 0 && some.every(isServed) && median(some.map(({ ms }) => ms)) <= usualMs;
  };
  for (let second = 0; second + goodSeconds <= last + 1; second += 1) {
    if (Array.from({ length: goodSeconds }, (_, after) => second + after).every(isGood)) return second;
  }
  return null;
}
