import { AppError } from '@app/kernel';
import { createBatcher } from '../../mongo/batcher.ts';

/** Batches whose work is held until `end`, which gives each item doubled; `fail` has it fail. */
function heldBatches(most = 500) {
  const begun: number[][] = [];
  const held: { end: () => void; fail: (error: Error) => void }[] = [];
  const batches = createBatcher({
    name: 'double',
    maxBatch: most,
    run(items: number[]) {
      begun.push(items);
      return new Promise<number[]>((end, fail) => held.push({ end: () => end(items.map((item) => 2 * item)), fail }));
    },
  });
  const next = async () => {
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return held.shift() as (typeof held)[number];
  };
  return { add: batches.add, begun, next };
}

test('items of one turn of the event loop are one batch, and each gets its own result', async () => {
  const { add, begun, next } = heldBatches();
  const results = Promise.all([1, 2, 3].map(add));
  (await next()).end();
  expect(await results).toEqual([2, 4, 6]);
  expect(begun).toEqual([[1, 2, 3]]);
});

test('items that come during a batch wait, and are the next batch', async () => {
  const { add, begun, next } = heldBatches();
  const first = add(1);
  const running = await next();
  const rest = Promise.all([2, 3].map(add));
  expect(begun).toEqual([[1]]);
  running.end();
  (await next()).end();
  expect([await first, await rest]).toEqual([2, [4, 6]]);
  expect(begun).toEqual([[1], [2, 3]]);
});

test('no batch is larger than it may be', async () => {
  const { add, begun, next } = heldBatches(2);
  const results = Promise.all([1, 2, 3, 4, 5].map(add));
  for (let batch = 0; batch < 3; batch++) (await next()).end();
  await results;
  expect(begun).toEqual([[1, 2], [3, 4], [5]]);
});

test('with a linger time, the first item waits for others', async () => {
  jest.useFakeTimers();
  const begun: number[][] = [];
  const { add } = createBatcher({
    name: 'double',
    maxBatch: 100,
    lingerMs: 1_000,
    run: async (items: number[]) => {
      begun.push(items);
      return items;
    },
  });
  const first = add(1);
  await jest.advanceTimersByTimeAsync(999);
  expect(begun).toEqual([]);
  const second = add(2);
  await jest.advanceTimersByTimeAsync(1);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(begun).toEqual([[1, 2]]);
  jest.useRealTimers();
});

/** Batches of a run that fails as long as `fails` says so of its items. */
function failing(fails: (items: number[]) => Error | null, given: { once?: boolean } = {}) {
  const begun: number[][] = [];
  const batches = createBatcher({
    name: 'double',
    maxBatch: 100,
    async run(items: number[]) {
      begun.push(items);
      const error = fails(items);
      if (error) throw error;
      return items.map((item) => 2 * item);
    },
    ...given,
  });
  return { settled: (items: number[]) => Promise.allSettled(items.map(batches.add)), begun };
}

test('only the item at fault fails: each of the others gets its result', async () => {
  const { settled, begun } = failing((items) => (items.some((item) => item % 50 === 7) ? new Error('bad') : null));
  const results = await settled(Array.from({ length: 100 }, (_, index) => index));
  const rejected = results.flatMap((one, index) => (one.status === 'rejected' ? [index] : []));
  expect(rejected).toEqual([7, 57]);
  expect(results[8]).toEqual({ status: 'fulfilled', value: 16 });
  // By halves, not each by itself.
  expect(begun.length).toBeLessThan(30);
});

test.each([
  ['an outage', new AppError('unavailable', 'away', 'away'), {}],
  ['an outage of the database', Object.assign(new Error('away'), { name: 'MongoServerSelectionError' }), {}],
  ['a failure of what must not run twice', new Error('away'), { once: true }],
])('%s is that of its whole batch, and of no other', async (_what, error, given) => {
  const { settled, begun } = failing((items) => (items.length > 1 ? error : null), given);
  const [together, alone] = [await settled([1, 2, 3]), await settled([4])];
  expect(together).toMatchObject(Array(3).fill({ status: 'rejected', reason: error }));
  expect(alone).toEqual([{ status: 'fulfilled', value: 8 }]);
  expect(begun).toEqual([[1, 2, 3], [4]]);
});
