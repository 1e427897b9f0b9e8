import { waitAtMost, withTimeout } from '../with-timeout.ts';

const never = new Promise<never>(() => undefined);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('work that takes too long rejects with what it was', async () => {
  const late = expect(withTimeout(never, { ms: 100, what: 'the storage' })).rejects.toThrow(
    'the storage did not answer within 100 ms',
  );
  await jest.advanceTimersByTimeAsync(100);
  await late;
});

test('work that takes too long is waited for no longer', async () => {
  let isOver = false;
  void waitAtMost(never, 100).then(() => {
    isOver = true;
  });
  await jest.advanceTimersByTimeAsync(99);
  expect(isOver).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test.each([
  ['withTimeout', (work: Promise<string>) => withTimeout(work, { ms: 100, what: 'it' })],
  ['waitAtMost', (work: Promise<string>) => waitAtMost(work, 100)],
])('%s: work that settles in time decides, and leaves no timer', async (_name, limited) => {
  await limited(Promise.resolve('done'));
  await expect(limited(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(jest.getTimerCount()).toBe(0);
});
