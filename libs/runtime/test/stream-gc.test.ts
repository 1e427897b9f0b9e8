import { countStreamedBytes } from '../stream-gc.ts';

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
