import { ChildProcess } from 'node:child_process';
import { eventually } from '@app/testing';
import { createOddWorkerPool } from './odd-worker-pool.ts';

let pool: ReturnType<typeof createOddWorkerPool>;
afterEach(() => pool.close());
const poolOf: typeof createOddWorkerPool = (given) => {
  pool = createOddWorkerPool(given);
  return pool;
};
const workerOf = async (task: string) => (await pool.run(task)).result;

test('a task that never ends is stopped; the one that waited behind it is done by another worker', async () => {
  poolOf({ timeoutMs: 1_000 });
  const first = await workerOf('nothing');
  const ended = pool.run('spin for ever');
  const next = workerOf('nothing');
  await expect(ended).rejects.toMatchObject({ cause: 'time' });
  expect(await next).not.toBe(first);
});

test('a worker that runs out of memory is the fault of its task; one that ends by itself is ours; each is replaced', async () => {
  poolOf();
  for (const [task, reason] of [
    ['take all memory', { cause: 'memory' }],
    ['fail', { message: 'a worker ended with 1' }],
    ['leave', { message: 'a worker ended with 3' }],
  ] as const) {
    await expect(pool.run(task)).rejects.toMatchObject(reason);
  }
  expect(await workerOf('nothing')).toEqual(expect.any(Number));
});

test('a worker is used again, unless its task took long', async () => {
  poolOf();
  const first = await workerOf('nothing');
  expect(await workerOf('nothing')).toBe(first);
  expect(await workerOf('something long')).toBe(first);
  expect(await workerOf('nothing')).not.toBe(first);
});

test('closing a pool ends running tasks and starts no others', async () => {
  poolOf();
  await pool.run('nothing');
  const works = Promise.allSettled([pool.run('spin for ever'), pool.run('nothing')]);
  await pool.close();
  expect((await works).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('an idle worker ends after a while', async () => {
  poolOf({ idleMs: 1 });
  const pid = await workerOf('nothing');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  expect(await workerOf('nothing')).not.toBe(pid);
});

test('a task that comes while an idle worker is being ended gets another worker', async () => {
  poolOf({ idleMs: 1 });
  const pid = await workerOf('nothing');
  const { kill } = ChildProcess.prototype;
  const next = new Promise<number>((resolve) => {
    jest.spyOn(ChildProcess.prototype, 'kill').mockImplementationOnce(function (this: ChildProcess, signal) {
      resolve(workerOf('nothing'));
      return kill.call(this, signal);
    });
  });
  expect(await next).not.toBe(pid);
});
