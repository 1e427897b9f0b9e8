import { createPoller } from '../poller.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A poller whose runs last until they are ended. */
function startPoller(options: { immediate?: boolean } = {}) {
  const underWay: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  let runs = 0;
  const poller = createPoller({
    everyMs: 100,
    run() {
      runs += 1;
      const run = Promise.withResolvers<void>();
      underWay.push(run);
      return run.promise;
    },
    onError: (error) => errors.push(error),
    ...options,
  });
  poller.start();
  return {
    ...poller,
    errors,
    runs: () => runs,
    async end(error?: Error) {
      const run = underWay.shift();
      if (error) run?.reject(error);
      else run?.resolve();
      await jest.advanceTimersByTimeAsync(0);
    },
  };
}

test('the next run starts after the pause that follows the end of the one before', async () => {
  const poller = startPoller();
  await jest.advanceTimersByTimeAsync(99);
  expect(poller.runs()).toBe(0);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(poller.runs()).toBe(1);
  await poller.end();
  await jest.advanceTimersByTimeAsync(99);
  expect(poller.runs()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(poller.runs()).toBe(2);
});

test('the first run may be immediate', async () => {
  const poller = startPoller({ immediate: true });
  await jest.advanceTimersByTimeAsync(0);
  expect(poller.runs()).toBe(1);
});

test('notify runs at once, or once more after the run under way, however often it is called', async () => {
  const poller = startPoller();
  poller.notify();
  expect(poller.runs()).toBe(1);
  poller.notify();
  poller.notify();
  expect(poller.runs()).toBe(1);
  await poller.end();
  expect(poller.runs()).toBe(2);
  await poller.end();
  expect(poller.runs()).toBe(2);
});

test('a run that fails is reported, and polling goes on', async () => {
  const poller = startPoller();
  const away = new Error('away');
  poller.notify();
  await poller.end(away);
  expect(poller.errors).toEqual([away]);
  await jest.advanceTimersByTimeAsync(100);
  expect(poller.runs()).toBe(2);
});

test('stop waits for the run under way, and nothing runs after it', async () => {
  const poller = startPoller();
  poller.notify();
  poller.notify();
  let isStopped = false;
  const stopping = poller.stop().then(() => {
    isStopped = true;
  });
  await jest.advanceTimersByTimeAsync(50);
  expect(isStopped).toBe(false);
  await poller.end();
  await stopping;
  poller.notify();
  poller.start();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(poller.runs()).toBe(1);
});

test('a run that has more to do is followed by the next at once, until the poller is stopped', async () => {
  let left = 3;
  let runs = 0;
  const work = Promise.withResolvers<void>();
  const poller = createPoller({
    everyMs: 100,
    immediate: true,
    async run() {
      runs += 1;
      left -= 1;
      if (left < 0) await work.promise;
      return left !== 0 && left > -5;
    },
    onError: () => undefined,
  });
  poller.start();
  await jest.advanceTimersByTimeAsync(50);
  expect(runs).toBe(3);
  await jest.advanceTimersByTimeAsync(100);
  expect(runs).toBe(4);
  const stopping = poller.stop();
  work.resolve();
  await stopping;
  expect(runs).toBe(4);
});
