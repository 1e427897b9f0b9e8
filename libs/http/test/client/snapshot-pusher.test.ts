import { AppError, type ErrorKind } from '@app/kernel';
import { createSnapshotPusher } from '../../client/snapshot-pusher.ts';

/**
 * A push with these outcomes in turn, the last one for every further call; `times` counts the
 * calls.
 */
function pushTarget(...outcomes: (Error | null)[]) {
  const target = {
    times: 0,
    async push() {
      const outcome = outcomes[Math.min(target.times, outcomes.length - 1)];
      target.times += 1;
      if (outcome) throw outcome;
    },
  };
  return target;
}

const state = { id: 'a', version: 2 };
const failure = (kind: ErrorKind) => new AppError(kind, kind, kind);

test('a push that fails for a moment is retried until it is accepted', async () => {
  const target = pushTarget(
    new Error('reset'),
    failure('unavailable'),
    failure('timeout'),
    failure('overloaded'),
    null,
  );
  await createSnapshotPusher({ forMs: 60_000 }).push(state, target.push);
  expect(target.times).toBe(5);
});

test('a push that keeps failing rejects with the last failure, and a repetition pushes again', async () => {
  const pusher = createSnapshotPusher({ forMs: 1_000 });
  const target = pushTarget(new Error('first'), failure('timeout'));
  await expect(pusher.push(state, target.push)).rejects.toMatchObject({ kind: 'timeout' });
  const { times } = target;
  expect(times).toBeGreaterThan(1);
  await expect(pusher.push(state, target.push)).rejects.toMatchObject({ kind: 'timeout' });
  expect(target.times).toBeGreaterThan(times);
});

test.each<ErrorKind>(['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unprocessable'])(
  'a push with a permanent failure (%s) is not retried',
  async (kind) => {
    const target = pushTarget(failure(kind));
    await expect(createSnapshotPusher().push(state, target.push)).rejects.toMatchObject({ kind });
    expect(target.times).toBe(1);
  },
);

test('an accepted version is not pushed again, nor an older one; a newer version and another document are', async () => {
  const pusher = createSnapshotPusher();
  const target = pushTarget(null);
  const rows: [{ id: string; version: number }, number][] = [
    [state, 1],
    [state, 1],
    [{ ...state, version: 1 }, 1],
    [{ ...state, version: 3 }, 2],
    [state, 2],
    [{ ...state, id: 'b' }, 3],
  ];
  for (const [one, times] of rows) {
    await pusher.push(one, target.push);
    expect([one, target.times]).toEqual([one, times]);
  }
});

test('beyond 10,000 documents the oldest are forgotten, and pushed again', async () => {
  const pusher = createSnapshotPusher();
  const target = pushTarget(null);
  for (let n = 0; n <= 10_000; n++) await pusher.push({ id: String(n), version: 1 }, target.push);
  expect(target.times).toBe(10_001);
  await pusher.push({ id: '10000', version: 1 }, target.push);
  expect(target.times).toBe(10_001);
  await pusher.push({ id: '0', version: 1 }, target.push);
  expect(target.times).toBe(10_002);
});
