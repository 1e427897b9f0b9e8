import { createTaskTracker } from '../task-tracker.ts';

test('the end waits for what began meanwhile too, and a failure is heard where it belongs', async () => {
  const heard: unknown[] = [];
  const underWay = createTaskTracker((error) => heard.push(error));
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
  expect(heard).toEqual([away]);
});
