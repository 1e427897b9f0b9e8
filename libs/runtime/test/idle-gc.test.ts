import { startIdleGc } from '../idle-gc.ts';

/** Runs through shares of work, one an interval, and says after which of them garbage was collected. */
function collectedAfter(shares: number[]): number[] {
  jest.useFakeTimers();
  try {
    const left = [...shares];
    const collected: number[] = [];
    const end = startIdleGc({
      collect: () => collected.push(shares.length - left.length),
      utilization: () => left.shift() ?? 0,
      everyMs: 1_000,
    });
    jest.advanceTimersByTime(1_000 * shares.length);
    end();
    jest.advanceTimersByTime(10_000);
    return collected;
  } finally {
    jest.useRealTimers();
  }
}

test.each([
  ['never at rest', [0.9, 0.8, 0.4, 0.2, 0.1], []],
  ['never busy', [0, 0.01, 0.09, 0], []],
  ['busy, then at rest: once', [0.9, 0.5, 0.02, 0, 0, 0], [3]],
  ['busy twice', [0.9, 0, 0, 0.4, 0.1, 0.04, 0], [2, 6]],
])('garbage is collected at the first idle moment after work: %s', (_story, shares, expected) => {
  expect(collectedAfter(shares)).toEqual(expected);
});
