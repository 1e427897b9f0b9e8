import { createPace } from '../pace.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Places that are free, one taken at a time. */
function places(free: number) {
  let left = free;
  return {
    take: () => left > 0 && left-- > 0,
    free: () => {
      left += 1;
    },
  };
}

const pace = () => createPace(() => Date.now());

test('a free place is taken at once', async () => {
  await expect(pace().place('a', places(1).take)).resolves.toBe(true);
});

test('nobody waits for an endpoint that has not answered, or not lately', async () => {
  const waits = pace();
  await expect(waits.place('a', places(0).take)).resolves.toBe(false);
  waits.ended('a');
  jest.advanceTimersByTime(251);
  await expect(waits.place('a', places(0).take)).resolves.toBe(false);
});

test('for a quick endpoint they wait, and take the places that are freed in the order of asking', async () => {
  const waits = pace();
  const few = places(0);
  const taken: string[] = [];
  waits.ended('a');
  const both = ['first', 'second'].map((name) => waits.place('a', few.take).then((got) => got && taken.push(name)));
  for (const expected of [['first'], ['first', 'second']]) {
    few.free();
    waits.freed('a');
    await jest.advanceTimersByTimeAsync(0);
    expect(taken).toEqual(expected);
  }
  await Promise.all(both);
});

test('nobody waits where older ones have to go first, and who waits when that begins goes on', async () => {
  const waits = pace();
  waits.ended('a');
  await expect(waits.place('a', places(0).take, () => true)).resolves.toBe(false);
  let behind = false;
  const waiting = waits.place('a', places(0).take, () => behind);
  behind = true;
  waits.freed('a');
  await expect(waiting).resolves.toBe(false);
});

test('no more than 128 wait for one endpoint: the next goes on at once', async () => {
  const waits = pace();
  waits.ended('a');
  waits.ended('b');
  const waiting = Array.from({ length: 128 }, () => waits.place('a', places(0).take));
  await expect(waits.place('a', places(0).take)).resolves.toBe(false);
  const other = waits.place('b', places(0).take);
  waits.forget('a');
  expect(await Promise.all(waiting)).toEqual(Array(128).fill(false));
  waits.stop();
  await other;
});

test('a place of another endpoint is none of theirs', async () => {
  const waits = pace();
  waits.ended('a');
  let settled = false;
  const waiting = waits.place('a', places(0).take).then(() => {
    settled = true;
  });
  waits.freed('b');
  await jest.advanceTimersByTimeAsync(10);
  expect(settled).toBe(false);
  waits.stop();
  await waiting;
});

test.each([
  ['it stops answering', false, 300],
  ['it answers and never has a place, after a second', true, 1_100],
])('waiting ends where %s', async (_why, answers, withinMs) => {
  const waits = pace();
  waits.ended('a');
  let got: boolean | null = null;
  const waiting = waits.place('a', places(0).take).then((result) => {
    got = result;
  });
  for (let ms = 0; ms < withinMs; ms += 50) {
    if (answers) waits.ended('a');
    await jest.advanceTimersByTimeAsync(50);
  }
  await waiting;
  expect(got).toBe(false);
});

test('nobody goes on waiting for an endpoint that was disabled, though a place were free', async () => {
  const waits = pace();
  const few = places(0);
  waits.ended('a');
  const waiting = waits.place('a', few.take);
  few.free();
  waits.forget('a');
  await expect(waiting).resolves.toBe(false);
});

test('whoever waits when all is over goes on without a place', async () => {
  const waits = pace();
  waits.ended('a');
  const waiting = Promise.all([waits.place('a', places(0).take), waits.place('a', places(0).take)]);
  waits.stop();
  await expect(waiting).resolves.toEqual([false, false]);
});
