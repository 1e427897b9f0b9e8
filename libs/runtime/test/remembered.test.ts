import { remembered } from '../remembered.ts';

test('whoever asks while it is made waits for it, and it is made once', async () => {
  const cache = new Map<string, Promise<void>>();
  const held = Promise.withResolvers<void>();
  let made = 0;
  const make = () => {
    made += 1;
    return held.promise;
  };
  const ended: string[] = [];
  const both = ['first', 'again'].map((name) => remembered(cache, 'a', make).then(() => void ended.push(name)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  held.resolve();
  await Promise.all(both);
  await remembered(cache, 'a', make);
  expect([made, ended]).toEqual([1, ['first', 'again']]);
});

test('what failed fails for all that waited, and is made again the next time', async () => {
  const cache = new Map<string, Promise<string>>();
  const failing = () => Promise.reject(new Error('away'));
  const both = await Promise.allSettled([remembered(cache, 'a', failing), remembered(cache, 'a', failing)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await remembered(cache, 'a', async () => 'there')).toBe('there');
});

test('what replaced it meanwhile is not forgotten with it', async () => {
  const cache = new Map<string, Promise<string>>();
  const { promise, reject } = Promise.withResolvers<string>();
  const failing = remembered(cache, 'a', () => promise);
  cache.set('a', Promise.resolve('newer'));
  reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  expect(await cache.get('a')).toBe('newer');
});
