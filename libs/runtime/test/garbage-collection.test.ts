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

/** Goes through milliseconds of work, one per look of a second. Returns the looks after which garbage was collected. */
function collectedAfter(work: number[]): number[] {
  jest.useFakeTimers();
  try {
    const since = Date.now();
    const looks = () => (Date.now() - since) / 1_000;
    const collected: number[] = [];
    const end = collectWhenIdle({
      collect: () => collected.push(looks()),
      workedMs: () => work.slice(0, looks()).reduce((sum, ms) => sum + ms, 0),
      everyMs: 1_000,
    });
    jest.advanceTimersByTime(1_000 * work.length);
    end();
    jest.advanceTimersByTime(10_000);
    return collected;
  } finally {
    jest.useRealTimers();
  }
}

test.each([
  ['never at rest', [900, 800, 400, 200, 100], []],
  ['hardly ever busy', [40, 10, 90, 0, 0], []],
  ['work, then rest: once', [900, 1_000, 900, 20, 0, 0, 0], [4]],
  ['short work, until it is enough', [900, 0, 900, 0, 900, 0, 0], [6]],
  ['twice', [1_000, 1_000, 0, 1_000, 1_000, 1_000, 0], [3, 7]],
])('garbage is collected at the first rest after two seconds of work: %s', (_story, work, expected) => {
  expect(collectedAfter(work)).toEqual(expected);
});
