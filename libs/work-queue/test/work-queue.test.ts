import type { Logger } from '@app/runtime';
import { eventually } from '@app/testing';
import { duePages, QueueStopped, WorkQueue, type WorkQueueOptions } from '../work-queue.ts';

type Job = { key: string; name: string };

const nothing = () => undefined;
const silent: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A queue over a table of due jobs in memory; each job runs until it is ended by its name. */
function startQueue(given: Partial<WorkQueueOptions<Job>> = {}, due: Job[] = []) {
  const running = new Map<string, () => void>();
  const claims: { key: string; limit: number; leaseId: string }[] = [];
  const released: string[] = [];
  const queue = new WorkQueue<Job>({
    limits: { perKey: 2, total: 10 },
    leaseMs: 60_000,
    now: () => new Date(),
    logger: silent,
    spanOf: () => ({ name: 'job' }),
    dueKeys: async (after) => [...new Set(due.map(({ key }) => key))].filter((key) => key > after).sort(),
    async claim(key, limit, { id: leaseId }) {
      claims.push({ key, limit, leaseId });
      await tick();
      const claimed = due.filter((job) => job.key === key).slice(0, limit);
      for (const job of claimed) due.splice(due.indexOf(job), 1);
      return claimed;
    },
    async release(jobs) {
      released.push(...jobs.map(({ name }) => name));
      due.push(...jobs);
    },
    run: ({ name }) => new Promise((resolve) => running.set(name, resolve)),
    ...given,
  });
  const settled = async () => {
    for (let round = 0; round < 5; round++) await tick();
  };
  async function end(name: string): Promise<void> {
    running.get(name)?.();
    running.delete(name);
    await settled();
  }
  return Object.assign(queue, { due, claims, released, end, settled, started: () => [...running.keys()] });
}

const jobs = (key: string, count: number): Job[] => Array.from({ length: count }, (_, n) => ({ key, name: key + n }));

test('due jobs are claimed up to twice the limit of running ones, and more as slots become free', async () => {
  const queue = startQueue({}, jobs('a', 6));
  queue.notify('a');
  await queue.settled();
  expect(queue.started()).toEqual(['a0', 'a1']);
  expect(queue.claims).toMatchObject([{ key: 'a', limit: 4 }]);
  for (const name of ['a0', 'a1', 'a2', 'a3']) await queue.end(name);
  expect(queue.started()).toEqual(['a4', 'a5']);
  for (const name of ['a4', 'a5']) await queue.end(name);
  await queue.stop();
  expect(queue.due).toEqual([]);
});

test('it finds due jobs of eligible keys by itself', async () => {
  const queue = startQueue({ eligibleKeys: async (keys) => keys.filter((key) => key !== 'b') }, [
    ...jobs('a', 1),
    ...jobs('b', 1),
  ]);
  queue.start();
  await eventually(() => expect(queue.started()).toEqual(['a0']));
  await queue.end('a0');
  await queue.stop();
});

test('a notify during a claim has it claim once more', async () => {
  const queue = startQueue();
  queue.notify('a');
  queue.notify('a');
  queue.due.push(...jobs('a', 1));
  await queue.settled();
  expect(queue.claims).toHaveLength(2);
  expect(queue.started()).toEqual(['a0']);
  await queue.end('a0');
  await queue.stop();
});

test('a claim that fails frees its slots', async () => {
  let isAway = true;
  const queue = startQueue({
    async claim(key) {
      if (isAway) throw new Error('away');
      return jobs(key, 1);
    },
  });
  queue.notify('a');
  await queue.settled();
  isAway = false;
  queue.notify('a');
  await queue.settled();
  expect(queue.started()).toEqual(['a0']);
  await queue.end('a0');
  await queue.stop();
});

test('a new job is queued directly, unless its key has no slot or older jobs wait in the database', async () => {
  const queue = startQueue({ limits: { perKey: 1, total: 10 } });
  const [first, second, third] = jobs('a', 3) as [Job, Job, Job];
  expect([queue.tryEnqueue('a', first), queue.tryEnqueue('a', second), queue.tryEnqueue('a', third)]).toEqual([
    true,
    true,
    false,
  ]);
  queue.notify('a');
  for (const name of ['a0', 'a1']) await queue.end(name);
  expect(queue.tryEnqueue('a', third)).toBe(true);
  await queue.end('a2');
  await queue.stop();
  expect(queue.tryEnqueue('a', first)).toBe(false);
});

test('a job whose turn has ended lets the next one start, and keeps its slot', async () => {
  const recording = Promise.withResolvers<void>();
  const queue = startQueue({
    limits: { perKey: 1, total: 1, inMemoryPerKey: 2 },
    async run(_job, turn) {
      turn.end();
      await recording.promise;
    },
  });
  const [first, second, third] = jobs('a', 3) as [Job, Job, Job];
  for (const job of [first, second]) expect(queue.tryEnqueue('a', job)).toBe(true);
  expect(queue.tryEnqueue('a', third)).toBe(false);
  recording.resolve();
  await queue.settled();
  expect(queue.tryEnqueue('a', third)).toBe(true);
  await queue.stop();
});

test('evicted jobs are those that have not started', async () => {
  const queue = startQueue({}, jobs('a', 3));
  queue.notify('a');
  await queue.settled();
  expect(queue.evict('a')).toEqual([{ key: 'a', name: 'a2' }]);
  for (const name of ['a0', 'a1']) await queue.end(name);
  expect(queue.started()).toEqual([]);
  await queue.stop();
});

test('leases of held jobs are renewed, those of ended jobs are not', async () => {
  const renewed: string[][] = [];
  const queue = startQueue(
    { leaseMs: 30, renew: async (held) => void renewed.push(held.map(({ name }) => name)) },
    jobs('a', 3),
  );
  queue.start();
  await eventually(() => expect(renewed.at(-1)).toEqual(['a0', 'a1', 'a2']));
  await queue.end('a0');
  await eventually(() => expect(renewed.at(-1)).toEqual(['a1', 'a2']));
  for (const name of ['a1', 'a2']) await queue.end(name);
  await queue.stop();
});

test('stop releases jobs that have not started, including those being claimed, and waits for running ones', async () => {
  const queue = startQueue({}, [...jobs('a', 3), ...jobs('b', 1)]);
  queue.notify('a');
  await queue.settled();
  queue.notify('b');
  let isStopped = false;
  const stopping = queue.stop().then(() => {
    isStopped = true;
  });
  await queue.settled();
  expect(queue.released).toEqual(['a2', 'b0']);
  expect(isStopped).toBe(false);
  for (const name of ['a0', 'a1']) await queue.end(name);
  await stopping;
});

test('stop aborts jobs that take too long, and abandons those that ignore it', async () => {
  const reasons: unknown[] = [];
  const queue = startQueue({
    abortAfterMs: 10,
    run: ({ name }, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          if (name === 'a0') resolve();
        });
      }),
  });
  for (const job of jobs('a', 2)) queue.tryEnqueue('a', job);
  await queue.stop();
  expect(reasons.map((reason) => reason instanceof QueueStopped)).toEqual([true, true]);
});

test('due keys are read page by page', async () => {
  const all = Array.from({ length: 2_500 }, (_, n) => String(n).padStart(4, '0'));
  const asked: string[] = [];
  const pages = duePages(async (after, limit) => {
    asked.push(after);
    return all.filter((key) => key > after).slice(0, limit);
  }, new Date());
  const sizes: number[] = [];
  for await (const page of pages) sizes.push(page.length);
  expect(sizes).toEqual([1000, 1000, 500]);
  expect(asked).toEqual(['', '0999', '1999']);
});
