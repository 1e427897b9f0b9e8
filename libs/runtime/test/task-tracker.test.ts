import { createTaskTracker } from '../task-tracker.ts';

test('the end waits for tasks that began meanwhile too, and failures are reported', async () => {
  const reported: unknown[] = [];
  const underWay = createTaskTracker((error) => reported.push(error));
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void underWay.track(first.promise.then(() => void underWay.track(second.promise)));
  let isOver = false;
  const ended = underWay.drain().then(() => {
    isOver = true;
  });
  first.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  const away = new Error('away');
  second.reject(away);
  await ended;
  expect(reported).toEqual([away]);
});
