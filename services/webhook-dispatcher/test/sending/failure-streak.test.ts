import { FailureStreaks } from '../../sending/failure-streak.ts';

/** Resets and counts that last until `end`; `log` says what has started. */
function startStreaks() {
  const log: string[] = [];
  const open: (() => void)[] = [];
  const step = (name: string) => {
    log.push(name);
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const streaks = new FailureStreaks((id) => step(`reset ${id}`));
  return {
    log,
    succeeded: (id = 'a') => streaks.succeeded(id),
    exhausted: (name: string, id = 'a') =>
      streaks.exhausted(
        id,
        () => step(`count ${name}`).then(() => 'counted'),
        async () => 'skipped',
      ),
    /** Ends what started first, and lets what waited for it go on. */
    async end() {
      open.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

test('exhausted deliveries are counted one at a time, in their order', async () => {
  const streaks = startStreaks();
  const both = Promise.all([streaks.exhausted('1'), streaks.exhausted('2')]);
  await streaks.end();
  expect(streaks.log).toEqual(['count 1']);
  await streaks.end();
  expect(streaks.log).toEqual(['count 1', 'count 2']);
  await streaks.end();
  expect(await both).toEqual(['counted', 'counted']);
});

test('a success ends the streak after the count in progress, and replaces waiting counts', async () => {
  const streaks = startStreaks();
  const first = streaks.exhausted('1');
  await streaks.end();
  const second = streaks.exhausted('2');
  const succeeded = streaks.succeeded();
  expect(await second).toBe('skipped');
  const third = streaks.exhausted('3');
  await streaks.end();
  expect(await first).toBe('counted');
  expect(streaks.log).toEqual(['count 1', 'reset a']);
  await streaks.end();
  await succeeded;
  expect(streaks.log).toEqual(['count 1', 'reset a', 'count 3']);
  await streaks.end();
  expect(await third).toBe('counted');
});

test('many successes at once share a reset, but none that has begun before', async () => {
  const streaks = startStreaks();
  const first = streaks.succeeded();
  await new Promise(setImmediate);
  const others = Promise.all([streaks.succeeded(), streaks.succeeded()]);
  await streaks.end();
  await first;
  expect(streaks.log).toEqual(['reset a', 'reset a']);
  await streaks.end();
  await others;
  expect(streaks.log).toHaveLength(2);
});

test('endpoints do not wait for each other', async () => {
  const streaks = startStreaks();
  const all = Promise.all([streaks.succeeded('a'), streaks.exhausted('1', 'b')]);
  await new Promise(setImmediate);
  expect(streaks.log).toEqual(['reset a', 'count 1']);
  await streaks.end();
  await streaks.end();
  await all;
});

test('a failure reaches its caller, and the next one goes on', async () => {
  const streaks = new FailureStreaks(() => Promise.reject(new Error('no database')));
  const count = () => Promise.reject(new Error('no transaction'));
  const failed = [streaks.succeeded('a'), streaks.exhausted('a', count, async () => 'skipped')];
  const after = streaks.exhausted(
    'a',
    async () => 'counted',
    async () => 'skipped',
  );
  expect(await Promise.allSettled(failed)).toMatchObject([
    { status: 'rejected', reason: { message: 'no database' } },
    { status: 'rejected', reason: { message: 'no transaction' } },
  ]);
  expect(await after).toBe('counted');
});

test('changedSince is true during and after a failure, and not after a success', async () => {
  const streaks = new FailureStreaks(async () => undefined);
  const before = performance.now();
  await streaks.succeeded('a');
  expect(streaks.changedSince('a', before)).toBe(false);
  const counting = Promise.withResolvers<void>();
  const counted = streaks.change('a', () => counting.promise);
  expect(streaks.changedSince('a', performance.now() + 1)).toBe(true);
  counting.resolve();
  await counted;
  expect([streaks.changedSince('a', before), streaks.changedSince('b', before)]).toEqual([true, false]);
  expect(streaks.changedSince('a', performance.now() + 1)).toBe(false);
});
