import type { Attempt } from '../attempt.ts';
import type { Outcome } from '../deliveries/delivery.ts';

/** Attempts of an endpoint in a period, by what came of them. */
export type AttemptCounts = {
  succeeded: number;
  /** Failed, and another attempt follows. */
  failed: number;
  /** Failed, and it was the last one. */
  exhausted: number;
  /** Attempts by the bin of their duration (`durationBin`). */
  durations: Record<string, number>;
};

/** A period that starts at `at`. `p95Ms` is null without attempts. */
type AttemptPoint = Omit<AttemptCounts, 'durations'> & { at: Date; p95Ms: number | null };

const minuteMs = 60_000;

/** The periods that can be asked for, in milliseconds. */
export const bucketsMs = {
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '1d': 1440 * minuteMs,
} as const;
export type BucketName = keyof typeof bucketsMs;

/** Counts are stored for both: a question about months then adds up hours, not minutes. */
export const storedPeriodsMs = [bucketsMs['5m'], bucketsMs['1h']] as const;
/** The limit of one response. */
export const maxPoints = 200;

export function noCounts(): AttemptCounts {
  return { succeeded: 0, failed: 0, exhausted: 0, durations: {} };
}

/** Adds an attempt to `counts`. */
export function countAttempt(counts: AttemptCounts, { durationMs }: Attempt, { status }: Outcome): void {
  counts[status] += 1;
  const bin = durationBin(durationMs);
  counts.durations[bin] = (counts.durations[bin] ?? 0) + 1;
}

/** The longest stored period that divides `bucketMs`. */
export function storedPeriodFor(bucketMs: number): number {
  return storedPeriodsMs.findLast((periodMs) => bucketMs % periodMs === 0) ?? storedPeriodsMs[0];
}

export function periodStart(at: Date, periodMs: number): Date {
  return new Date(Math.floor(at.getTime() / periodMs) * periodMs);
}

/** How many points `pointsOf` gives. */
export function countPoints({ since, until, bucketMs }: Range): number {
  if (until <= since) return 0;
  return Math.ceil((until.getTime() - periodStart(since, bucketMs).getTime()) / bucketMs);
}

type Range = { since: Date; until: Date; bucketMs: number };

/** One point for each period from that of `since` on, those without attempts too. */
export function pointsOf(stored: { at: Date; counts: AttemptCounts }[], range: Range): AttemptPoint[] {
  const { since, bucketMs } = range;
  const firstMs = periodStart(since, bucketMs).getTime();
  const sums = Array.from({ length: countPoints(range) }, noCounts);
  for (const { at, counts } of stored) {
    const sum = sums[Math.floor((at.getTime() - firstMs) / bucketMs)];
    if (sum) add(sum, counts);
  }
  return sums.map(({ durations, ...counts }, n) => ({
    at: new Date(firstMs + n * bucketMs),
    ...counts,
    p95Ms: percentileMs(durations, 0.95),
  }));
}

function add(sum: AttemptCounts, { durations, ...counts }: AttemptCounts): void {
  sum.succeeded += counts.succeeded;
  sum.failed += counts.failed;
  sum.exhausted += counts.exhausted;
  for (const [bin, count] of Object.entries(durations)) sum.durations[bin] = (sum.durations[bin] ?? 0) + count;
}

/** Four bins for each doubling: a percentile is at most 19 % too high, and some sixty numbers hold all durations there are. */
const binsPerDoubling = 4;

function durationBin(durationMs: number): number {
  return Math.ceil(Math.log2(Math.max(1, durationMs)) * binsPerDoubling);
}

/** The upper end of the bin that holds the percentile. */
function percentileMs(durations: Record<string, number>, share: number): number | null {
  const bins = Object.entries(durations).sort(([a], [b]) => Number(a) - Number(b));
  const total = bins.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bin, count] of bins) {
    seen += count;
    if (seen >= total * share) return Math.round(2 ** (Number(bin) / binsPerDoubling));
  }
  return null;
}
