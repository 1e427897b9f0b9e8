import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairSemaphore } from '../fair-semaphore.ts';

const bounds = { inAll: 2, perOwner: 2, slowForMs: 60_000, slowMayWait: false };

/** Takes turns that last until they are told to end, and notes the order in which they began. */
function stage(given: Partial<typeof bounds> = {}) {
  const turns = createFairSemaphore({ ...bounds, ...given });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (owner: string, name: string) =>
    turns
      .run(owner, () => {
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
  return { turns, begun, take, end };
}

test('whoever comes with one waits for one turn at most, however many another one has waiting', async () => {
  const { begun, take, end } = stage();
  for (let index = 1; index <= 50; index += 1) void take('a', `a${index}`);
  void take('b', 'b1');
  void take('c', 'c1');
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  await end('b1');
  expect(begun.at(-1)).toBe('a3');
  await end('c1');
  expect(begun.at(-1)).toBe('a4');
});

test('nobody has all the turns', async () => {
  const { begun, take } = stage({ inAll: 3, perOwner: 2 });
  for (const name of ['a1', 'a2', 'a3']) void take('a', name);
  void take('b', 'b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

test('a slow owner has one turn at a time, and what waits of it is refused at once', async () => {
  const { turns, begun, take, end } = stage();
  const [first, second, third] = ['a1', 'a2', 'a3'].map((name) => take('a', name));
  await nextTurn();
  turns.throttle('a');
  expect(await third).toBe('reader_busy');
  await end('a1');
  expect(await take('a', 'a4')).toBe('reader_busy');
  await end('a2');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
  void take('a', 'a5');
  expect(await take('a', 'a6')).toBe('reader_busy');
  void take('b', 'b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2', 'a5', 'b1']);
});

test('where slow owners may wait, they do, one turn at a time', async () => {
  const { turns, begun, take, end } = stage({ slowMayWait: true });
  turns.throttle('a');
  for (const name of ['a1', 'a2', 'a3']) void take('a', name);
  await nextTurn();
  expect(begun).toEqual(['a1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2']);
});

test('nobody is slow for ever', async () => {
  const { turns, begun, take } = stage({ slowForMs: 0 });
  turns.throttle('a');
  for (const name of ['a1', 'a2']) void take('a', name);
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2']);
});

test('work that fails gives its turn back', async () => {
  const turns = createFairSemaphore({ ...bounds, inAll: 1 });
  await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run('a', async () => 'yes')).toBe('yes');
});

test('once it is closed, what waits and what comes is refused with the reason', async () => {
  const { turns, take } = stage({ inAll: 1 });
  void take('a', 'a1');
  const waiting = take('b', 'b1');
  turns.close(Object.assign(new Error(), { code: 'stopping' }));
  expect([await waiting, await take('c', 'c1')]).toEqual(['stopping', 'stopping']);
});
