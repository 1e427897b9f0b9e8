import { createSemaphore } from '../semaphore.ts';

test('who finds no room waits until somebody has left, in the order of asking', async () => {
  const room = createSemaphore(2);
  const inside: number[] = [];
  const asked = [0, 1, 2, 3, 4].map((place) => room.acquire().then(() => void inside.push(place)));
  const afterTurn = () => new Promise((resolve) => setImmediate(resolve));
  await afterTurn();
  expect(inside).toEqual([0, 1]);
  room.release();
  await afterTurn();
  expect(inside).toEqual([0, 1, 2]);
  for (let left = 0; left < 4; left++) room.release();
  await Promise.all(asked);
  const next = Promise.all([room.acquire(), room.acquire()]);
  await expect(next).resolves.toHaveLength(2);
});
