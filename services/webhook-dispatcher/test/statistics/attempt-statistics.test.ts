import {
  bucketsMs,
  countAttempt,
  countPoints,
  noCounts,
  periodStart,
  pointsOf,
  storedPeriodFor,
} from '../../statistics/attempt-statistics.ts';

const hourMs = 3_600_000;
const at = new Date('2026-11-24T10:20:30.400Z');
const attempted = (durationMs: number) => ({ at, statusCode: 200, durationMs, error: null, responseBody: '' });

test.each([
  ['5m', '2026-11-24T10:20:00.000Z', bucketsMs['5m']],
  ['15m', '2026-11-24T10:15:00.000Z', bucketsMs['5m']],
  ['1h', '2026-11-24T10:00:00.000Z', hourMs],
  ['6h', '2026-11-24T06:00:00.000Z', hourMs],
  ['1d', '2026-11-24T00:00:00.000Z', hourMs],
] as const)('a period of %s starts at %s, and adds up stored periods of %i ms', (name, start, periodMs) => {
  expect(periodStart(at, bucketsMs[name]).toISOString()).toBe(start);
  expect(storedPeriodFor(bucketsMs[name])).toBe(periodMs);
});

test('points add up what lies in their period, and are there without attempts too', () => {
  const since = new Date('2026-11-24T10:40:00Z');
  const until = new Date('2026-11-24T13:00:00Z');
  const stored = ['10:00', '10:55', '12:00', '12:59', '13:00'].map((time) => ({
    at: new Date(`2026-11-24T${time}:00Z`),
    counts: { succeeded: 2, failed: 1, exhausted: 0, durations: { 0: 3 } },
  }));
  const points = pointsOf(stored, { since, until, bucketMs: hourMs });
  expect(
    points.map(({ at, succeeded, failed, exhausted }) => [at.getUTCHours(), succeeded, failed, exhausted]),
  ).toEqual([
    [10, 4, 2, 0],
    [11, 0, 0, 0],
    [12, 4, 2, 0],
  ]);
  expect(points.map(({ p95Ms }) => p95Ms)).toEqual([1, null, 1]);
  expect(countPoints({ since, until, bucketMs: hourMs })).toBe(3);
  expect(countPoints({ since: until, until: since, bucketMs: hourMs })).toBe(0);
});

test.each([
  [[1]],
  [[0, 0, 0]],
  [[100]],
  [[...Array(94).fill(20), ...Array(6).fill(9_000)]],
  [[...Array(95).fill(20), ...Array(5).fill(9_000)]],
  [Array.from({ length: 1000 }, (_, n) => n)],
])('the 95th percentile of durations is at most a fifth too high, never too low: %#', (durations: number[]) => {
  const counts = noCounts();
  for (const durationMs of durations) {
    countAttempt(counts, attempted(durationMs), { status: 'succeeded', nextAttemptAt: null });
  }
  const sorted = [...durations].sort((a, b) => a - b);
  const exact = Math.max(1, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
  const [point] = pointsOf([{ at, counts }], { since: at, until: new Date(at.getTime() + 1), bucketMs: hourMs });
  expect(point?.p95Ms).toBeGreaterThanOrEqual(exact);
  expect(point?.p95Ms).toBeLessThanOrEqual(Math.ceil(exact * 1.2));
});
