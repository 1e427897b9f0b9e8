import { median, medianRatio, quantile, type Sample } from '../harness/statistics.ts';
import { againstAim } from '../harness/table.ts';

const sample = (perSecond: number): Sample => ({ requests: 1, perSecond, p50: 1, p99: 1 });

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('a quantile falls between two neighbours where it must', () => {
  const sorted = Float64Array.from({ length: 101 }, (_, index) => index);
  expect([quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 0.995)]).toEqual([50, 99, 99.5]);
  expect(() => quantile([], 0.5)).toThrow(RangeError);
});

test.each([
  [0.4, { least: 0.4 }, '≥ 0.40 met'],
  [0.39, { least: 0.4 }, '≥ 0.40 MISSED'],
  [1.5, { most: 1.5 }, '≤ 1.50 met'],
  [1.51, { most: 1.5 }, '≤ 1.50 MISSED'],
])('%d against %j is said as %s', (value, aim, said) => {
  expect(againstAim(value, aim)).toBe(said);
});

test('a ratio compares round by round: a machine that grows slower meanwhile changes nothing', () => {
  const bare = [sample(1000), sample(500), sample(100)];
  const ours = [sample(400), sample(200), sample(40)];
  expect(medianRatio(ours, bare, 'perSecond')).toBeCloseTo(0.4);
});
