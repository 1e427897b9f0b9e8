import { createSemaphore } from '../semaphore.ts';

test('without a free permit callers wait in order until one is released', async () => {
  const semaphore = createSemaphore(2);
  const inside: number[] = [];
  const asked = [0, 1, 2, 3, 4].map((place) => semaphore.acquire().then(() => void inside.push(place)));
  const afterTurn = () => new Promise((resolve) => setImmediate(resolve));
  await afterTurn();
  expect(inside).toEqual([0, 1]);
  semaphore.release();
  await afterTurn();
  expect(inside).toEqual([0, 1, 2]);
  for (let left = 0; left < 4; left++) semaphore.release();
  await Promise.all(asked);
  const next = Promise.all([semaphore.acquire(), semaphore.acquire()]);
  await expect(next).resolves.toHaveLength(2);
});
