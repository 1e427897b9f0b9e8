import type { Delivery } from '../delivery.ts';
import { createRecent } from '../recent.ts';
import { createRoom } from '../room.ts';
import { createStoring, type Written } from '../storing.ts';

describe('room', () => {
  /** Who has gone in so far, of those that asked for so many each. */
  function asking(most: number, ...counts: number[]) {
    const room = createRoom(most);
    const inside: number[] = [];
    const asked = counts.map((count, place) => room.enter(count).then(() => void inside.push(place)));
    const leave = async (count: number) => {
      for (let left = 0; left < count; left++) room.leave();
      await new Promise((resolve) => setImmediate(resolve));
      return [...inside];
    };
    return { leave, asked };
  }

  test('who finds none waits until enough have left, in the order of asking', async () => {
    const { leave } = asking(4, 3, 3, 3, 1);
    expect(await leave(0)).toEqual([0, 1]);
    expect(await leave(2)).toEqual([0, 1]);
    expect(await leave(1)).toEqual([0, 1, 2]);
    expect(await leave(3)).toEqual([0, 1, 2, 3]);
  });

  test('more than there ever is room for goes in all the same', async () => {
    expect(await asking(4, 100, 1).leave(97)).toEqual([0, 1]);
  });
});

test('recent ids are known, and the oldest forgotten', () => {
  const recent = createRecent(2);
  expect(['a', 'b', 'a', 'c', 'a'].map(recent.add)).toEqual([true, true, false, true, true]);
  recent.remove('c');
  expect(recent.add('c')).toBe(true);
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
