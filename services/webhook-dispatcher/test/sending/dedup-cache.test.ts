import { createDedupCache } from '../../sending/dedup-cache.ts';

test('a duplicate waits for the work under way, which is not done twice', async () => {
  const dedup = createDedupCache(10);
  const held = Promise.withResolvers<void>();
  let done = 0;
  const work = () => {
    done += 1;
    return held.promise;
  };
  const ended: string[] = [];
  const both = ['first', 'again'].map((name) => dedup.runOnce('a', work).then(() => void ended.push(name)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  held.resolve();
  await Promise.all(both);
  await dedup.runOnce('a', work);
  expect([done, ended]).toEqual([1, ['first', 'again']]);
});

test('work that failed fails for all that waited, and is done again the next time', async () => {
  const dedup = createDedupCache(10);
  const failing = () => Promise.reject(new Error('away'));
  const both = await Promise.allSettled([dedup.runOnce('a', failing), dedup.runOnce('a', failing)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const done: string[] = [];
  await dedup.runOnce('a', async () => void done.push('a'));
  expect(done).toEqual(['a']);
});

test('the oldest is forgotten', async () => {
  const dedup = createDedupCache(4);
  const done: string[] = [];
  for (const id of ['a', 'b', 'c', 'a', 'b', 'd', 'c', 'e', 'd', 'a']) {
    await dedup.runOnce(id, async () => void done.push(id));
  }
  expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});

test('work that failed may be done again, also if it is not the latest', async () => {
  const dedup = createDedupCache(2);
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = dedup.runOnce('a', () => promise);
  await dedup.runOnce('b', async () => undefined);
  reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  let again = 0;
  await dedup.runOnce('a', async () => void again++);
  expect(again).toBe(1);
});
