import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSemaphore } from '../../workers/fair-semaphore.ts';

const bounds = { total: 2, perKey: 2, throttleMs: 60_000, queueThrottled: false };

/** Starts work that lasts until it is released, and records the order of the starts. */
function setUp(given: Partial<typeof bounds> = {}) {
  const semaphore = new FairSemaphore({ ...bounds, ...given });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (key: string, name: string) =>
    semaphore
      .run(key, () => {
        begun.push(name);
        return new Promise<void>((end) => ends.set(name, end));
      })
      .then(
        () => 'done',
        (error: Error & { code: string }) => error.code,
      );
  const end = async (name: string) => {
    await nextTurn();
    ends.get(name)?.();
    await nextTurn();
  };
  return { semaphore, begun, run, end };
}

test('a key with one piece of work waits for one turn at most, however many another key has waiting', async () => {
  const { begun, run, end } = setUp();
  for (let index = 1; index <= 50; index += 1) void run('a', `a${index}`);
  void run('b', 'b1');
  void run('c', 'c1');
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  await end('b1');
  expect(begun.at(-1)).toBe('a3');
  await end('c1');
  expect(begun.at(-1)).toBe('a4');
});

test('no key takes all the permits', async () => {
  const { begun, run } = setUp({ total: 3, perKey: 2 });
  for (const name of ['a1', 'a2', 'a3']) void run('a', name);
  void run('b', 'b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

test('a throttled key has one permit at a time, and what waits of it is refused at once', async () => {
  const { semaphore, begun, run, end } = setUp();
  const [first, second, third] = ['a1', 'a2', 'a3'].map((name) => run('a', name));
  await nextTurn();
  semaphore.throttle('a');
  expect(await third).toBe('reader_busy');
  await end('a1');
  expect(await run('a', 'a4')).toBe('reader_busy');
  await end('a2');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
  void run('a', 'a5');
  expect(await run('a', 'a6')).toBe('reader_busy');
  void run('b', 'b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2', 'a5', 'b1']);
});

test('work of a throttled key waits if it may, one permit at a time', async () => {
  const { semaphore, begun, run, end } = setUp({ queueThrottled: true });
  semaphore.throttle('a');
  for (const name of ['a1', 'a2', 'a3']) void run('a', name);
  await nextTurn();
  expect(begun).toEqual(['a1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2']);
});

test('throttling ends', async () => {
  const { semaphore, begun, run } = setUp({ throttleMs: 0 });
  semaphore.throttle('a');
  for (const name of ['a1', 'a2']) void run('a', name);
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2']);
});

test('work that fails gives its permit back', async () => {
  const semaphore = new FairSemaphore({ ...bounds, total: 1 });
  await expect(semaphore.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run('a', async () => 'yes')).toBe('yes');
});

test('once closed, waiting and new work is refused with the reason', async () => {
  const { semaphore, run } = setUp({ total: 1 });
  void run('a', 'a1');
  const waiting = run('b', 'b1');
  semaphore.close(Object.assign(new Error(), { code: 'stopping' }));
  expect([await waiting, await run('c', 'c1')]).toEqual(['stopping', 'stopping']);
});
