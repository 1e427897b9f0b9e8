import { Backpressure } from '../../sending/backpressure.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Free slots, taken one at a time. */
function slots(free: number) {
  let left = free;
  return {
    take: () => left > 0 && left-- > 0,
    free: () => {
      left += 1;
    },
  };
}

const create = () => new Backpressure(() => Date.now());

test('a free slot is taken at once', async () => {
  await expect(create().waitForSlot('a', slots(1).take)).resolves.toBe(true);
});

test('no caller waits for an endpoint that has not responded lately', async () => {
  const backpressure = create();
  await expect(backpressure.waitForSlot('a', slots(0).take)).resolves.toBe(false);
  backpressure.attemptEnded('a');
  jest.advanceTimersByTime(251);
  await expect(backpressure.waitForSlot('a', slots(0).take)).resolves.toBe(false);
});

test('for a responsive endpoint callers wait, and take freed slots in order', async () => {
  const backpressure = create();
  const few = slots(0);
  const taken: string[] = [];
  backpressure.attemptEnded('a');
  const both = ['first', 'second'].map((name) =>
    backpressure.waitForSlot('a', few.take).then((got) => got && taken.push(name)),
  );
  for (const expected of [['first'], ['first', 'second']]) {
    few.free();
    backpressure.slotFreed('a');
    await jest.advanceTimersByTimeAsync(0);
    expect(taken).toEqual(expected);
  }
  await Promise.all(both);
});

test('no caller waits while older deliveries go first, nor goes on waiting when that begins', async () => {
  const backpressure = create();
  backpressure.attemptEnded('a');
  await expect(backpressure.waitForSlot('a', slots(0).take, () => true)).resolves.toBe(false);
  let behind = false;
  const waiting = backpressure.waitForSlot('a', slots(0).take, () => behind);
  behind = true;
  backpressure.slotFreed('a');
  await expect(waiting).resolves.toBe(false);
});

test('at most 128 callers wait for one endpoint: the next goes on at once', async () => {
  const backpressure = create();
  backpressure.attemptEnded('a');
  backpressure.attemptEnded('b');
  const waiting = Array.from({ length: 128 }, () => backpressure.waitForSlot('a', slots(0).take));
  await expect(backpressure.waitForSlot('a', slots(0).take)).resolves.toBe(false);
  const other = backpressure.waitForSlot('b', slots(0).take);
  backpressure.evict('a');
  expect(await Promise.all(waiting)).toEqual(Array(128).fill(false));
  backpressure.stop();
  await other;
});

test('a slot of another endpoint does not end their wait', async () => {
  const backpressure = create();
  backpressure.attemptEnded('a');
  let settled = false;
  const waiting = backpressure.waitForSlot('a', slots(0).take).then(() => {
    settled = true;
  });
  backpressure.slotFreed('b');
  await jest.advanceTimersByTimeAsync(10);
  expect(settled).toBe(false);
  backpressure.stop();
  await waiting;
});

test.each([
  ['it stops answering', false, 300],
  ['it answers and never has a slot, after a second', true, 1_100],
])('waiting ends if %s', async (_why, answers, withinMs) => {
  const backpressure = create();
  backpressure.attemptEnded('a');
  let got: boolean | null = null;
  const waiting = backpressure.waitForSlot('a', slots(0).take).then((result) => {
    got = result;
  });
  for (let ms = 0; ms < withinMs; ms += 50) {
    if (answers) backpressure.attemptEnded('a');
    await jest.advanceTimersByTimeAsync(50);
  }
  await waiting;
  expect(got).toBe(false);
});

test('callers stop waiting for an endpoint that was disabled, even if a slot is free', async () => {
  const backpressure = create();
  const few = slots(0);
  backpressure.attemptEnded('a');
  const waiting = backpressure.waitForSlot('a', few.take);
  few.free();
  backpressure.evict('a');
  await expect(waiting).resolves.toBe(false);
});

test('callers that wait when the service stops go on without a slot', async () => {
  const backpressure = create();
  backpressure.attemptEnded('a');
  const waiting = Promise.all([
    backpressure.waitForSlot('a', slots(0).take),
    backpressure.waitForSlot('a', slots(0).take),
  ]);
  backpressure.stop();
  await expect(waiting).resolves.toEqual([false, false]);
});
