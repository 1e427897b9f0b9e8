import type { Delivery } from '../delivery.ts';
import { createRecent } from '../recent.ts';
import { createStoring, type Written } from '../storing.ts';

describe('recent', () => {
  test('what comes again waits for what is under way, and is not done twice', async () => {
    const recent = createRecent(10);
    const held = Promise.withResolvers<void>();
    let done = 0;
    const work = () => {
      done += 1;
      return held.promise;
    };
    const ended: string[] = [];
    const both = ['first', 'again'].map((name) => recent.once('a', work).then(() => void ended.push(name)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual([]);
    held.resolve();
    await Promise.all(both);
    await recent.once('a', work);
    expect([done, ended]).toEqual([1, ['first', 'again']]);
  });

  test('what failed fails for all that waited, and is done anew the next time', async () => {
    const recent = createRecent(10);
    const failing = () => Promise.reject(new Error('away'));
    const both = await Promise.allSettled([recent.once('a', failing), recent.once('a', failing)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const done: string[] = [];
    await recent.once('a', async () => void done.push('a'));
    expect(done).toEqual(['a']);
  });

  test('the oldest is forgotten', async () => {
    const recent = createRecent(2);
    const done: string[] = [];
    for (const id of ['a', 'b', 'c', 'a', 'b', 'd', 'c', 'e', 'd', 'a']) {
      await recent.once(id, async () => void done.push(id));
    }
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
  });

  test('what failed may be done anew, also among the older ones', async () => {
    const recent = createRecent(1);
    const { promise, reject } = Promise.withResolvers<void>();
    const failing = recent.once('a', () => promise);
    await recent.once('b', async () => undefined);
    reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    let again = 0;
    await recent.once('a', async () => void again++);
    expect(again).toBe(1);
  });
});

describe('storing', () => {
  const delivery = { id: 'd', status: 'pending' } as Delivery;

  function storing(result: Promise<boolean>) {
    const added: Written<string>[] = [];
    const one = createStoring<string>((written) => {
      added.push(written);
      return result;
    });
    return { one, added };
  }

  test('the first call writes, and all others wait with it', async () => {
    const { one, added } = storing(Promise.resolve(true));
    expect(one.begun()).toBe(false);
    const first = one.write({ delivery, lease: 'mine' });
    expect(one.begun()).toBe(true);
    expect(await Promise.all([first, one.write({ delivery, lease: null }), one.ended])).toEqual([true, true, true]);
    expect(added).toEqual([{ delivery, lease: 'mine' }]);
  });

  test('a failure is heard by all', async () => {
    const { one } = storing(Promise.reject(new Error('away')));
    const heard = await Promise.allSettled([one.write({ delivery, lease: null }), one.ended]);
    expect(heard.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
