import { collectWhenIdle, countStreamedBytes } from '../garbage-collection.ts';

const mebibyte = 1024 * 1024;
const own = globalThis.gc;
afterEach(() => {
  globalThis.gc = own;
});

test('each 8 MB that pass have one minor collection, however they are cut', () => {
  const collected: unknown[] = [];
  globalThis.gc = ((options: unknown) => void collected.push(options)) as never;
  for (let passed = 0; passed < 24; passed += 3) countStreamedBytes(3 * mebibyte);
  expect(collected).toEqual(Array(2).fill({ type: 'minor', execution: 'sync' }));
});

test('without access to the collector bodies pass all the same', () => {
  globalThis.gc = undefined as never;
  expect(() => countStreamedBytes(20 * mebibyte)).not.toThrow();
});

/** Goes through shares of work, one per interval. Returns those after which garbage was collected. */
function collectedAfter(shares: number[]): number[] {
  jest.useFakeTimers();
  try {
    const left = [...shares];
    const collected: number[] = [];
    const end = collectWhenIdle({
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
