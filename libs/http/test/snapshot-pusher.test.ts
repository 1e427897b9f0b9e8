import { AppError, type ErrorKind } from '@app/kernel';
import { createSnapshotPusher } from '../snapshot-pusher.ts';

/** Tells with these outcomes one after the other, the last one for ever; counts how often. */
function telling(...outcomes: (Error | null)[]) {
  const told = {
    times: 0,
    async tell() {
      const outcome = outcomes[Math.min(told.times, outcomes.length - 1)];
      told.times += 1;
      if (outcome) throw outcome;
    },
  };
  return told;
}

const state = { id: 'a', version: 2 };
const failure = (kind: ErrorKind) => new AppError(kind, kind, kind);

test('what fails for a moment is told again until it is taken over', async () => {
  const told = telling(new Error('reset'), failure('unavailable'), failure('timeout'), failure('overloaded'), null);
  await createSnapshotPusher().push(state, told.tell);
  expect(told.times).toBe(5);
});

test('what keeps failing fails for the caller, with the last failure, and its repetition tells it again', async () => {
  const handOvers = createSnapshotPusher({ forMs: 120 });
  const told = telling(new Error('first'), failure('timeout'));
  await expect(handOvers.push(state, told.tell)).rejects.toMatchObject({ kind: 'timeout' });
  const { times } = told;
  expect(times).toBeGreaterThan(1);
  await expect(handOvers.push(state, told.tell)).rejects.toMatchObject({ kind: 'timeout' });
  expect(told.times).toBeGreaterThan(times);
});

test.each<ErrorKind>(['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unprocessable'])(
  'an answer that would be the same again (%s) is not asked for again',
  async (kind) => {
    const told = telling(failure(kind));
    await expect(createSnapshotPusher().push(state, told.tell)).rejects.toMatchObject({ kind });
    expect(told.times).toBe(1);
  },
);

test('what was taken over is told no more, nor what is older; what is newer is, and so is another one', async () => {
  const handOvers = createSnapshotPusher();
  const told = telling(null);
  const rows: [{ id: string; version: number }, number][] = [
    [state, 1],
    [state, 1],
    [{ ...state, version: 1 }, 1],
    [{ ...state, version: 3 }, 2],
    [state, 2],
    [{ ...state, id: 'b' }, 3],
  ];
  for (const [one, times] of rows) {
    await handOvers.push(one, told.tell);
    expect([one, told.times]).toEqual([one, times]);
  }
});

test('of very many the oldest are forgotten, and told once more', async () => {
  const handOvers = createSnapshotPusher();
  const told = telling(null);
  for (let n = 0; n <= 10_000; n++) await handOvers.push({ id: String(n), version: 1 }, told.tell);
  expect(told.times).toBe(10_001);
  await handOvers.push({ id: '10000', version: 1 }, told.tell);
  expect(told.times).toBe(10_001);
  await handOvers.push({ id: '0', version: 1 }, told.tell);
  expect(told.times).toBe(10_002);
});
