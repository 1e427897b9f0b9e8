import { createBatches } from '../batches.ts';

/** Batches whose work is held until `end`, which gives each item doubled; `fail` has it fail. */
function heldBatches(most = 500) {
  const begun: number[][] = [];
  const held: { end: () => void; fail: (error: Error) => void }[] = [];
  const batches = createBatches({
    most,
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

test('what comes in one turn is one batch, and each gets its own result', async () => {
  const { add, begun, next } = heldBatches();
  const results = Promise.all([1, 2, 3].map(add));
  (await next()).end();
  expect(await results).toEqual([2, 4, 6]);
  expect(begun).toEqual([[1, 2, 3]]);
});

test('what comes while one is under way waits, and then goes together', async () => {
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

test('a failure is that of its batch alone', async () => {
  const { add, next } = heldBatches(2);
  const results = Promise.allSettled([1, 2, 3].map(add));
  (await next()).fail(new Error('away'));
  (await next()).end();
  expect(await results).toMatchObject([
    { status: 'rejected', reason: { message: 'away' } },
    { status: 'rejected' },
    { status: 'fulfilled', value: 6 },
  ]);
});
