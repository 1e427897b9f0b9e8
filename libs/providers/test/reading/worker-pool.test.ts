import { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from '@app/testing';
import { WorkerPool } from '../../reading/worker-pool.ts';

const program = join(__dirname, 'programs/odd-worker.ts');
let pool: WorkerPool<string, number>;
afterEach(() => pool.close());
const poolOf = (given: { size?: number; timeoutMs?: number; idleMs?: number } = {}) => {
  pool = new WorkerPool({
    program,
    size: 1,
    timeoutMs: 30_000,
    memoryMb: 32,
    reuseBelowMs: 1_000,
    idleMs: 60_000,
    ...given,
  });
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

test('a task that takes all memory ends its worker, and nothing else', async () => {
  poolOf();
  await expect(pool.run('take all memory')).rejects.toMatchObject({ cause: 'memory' });
  expect(await workerOf('nothing')).toEqual(expect.any(Number));
});

test.each([
  ['fail', 'a worker ended with 1'],
  ['leave', 'a worker ended with 3'],
])(
  'a worker that ends by itself (%s) is a failure of ours, no fault of its task, and is replaced',
  async (task, message) => {
    poolOf();
    await expect(pool.run(task)).rejects.toMatchObject({ message });
    expect(await workerOf('nothing')).toEqual(expect.any(Number));
  },
);

test('a worker is used again, unless its task took long', async () => {
  poolOf();
  const first = await workerOf('nothing');
  expect(await workerOf('nothing')).toBe(first);
  expect(await workerOf('something long')).toBe(first);
  expect(await workerOf('nothing')).not.toBe(first);
});

test('there are never more workers than the size of the pool', async () => {
  poolOf({ size: 2 });
  const workers = await Promise.all(Array.from({ length: 20 }, () => workerOf('nothing')));
  expect(new Set(workers).size).toBeLessThanOrEqual(2);
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

test('a worker knows none of the keys of its service', async () => {
  process.env['CREDENTIALS_KEYS'] = 'secret';
  poolOf();
  expect(await workerOf('tell the environment')).not.toContain('CREDENTIALS_KEYS');
  delete process.env['CREDENTIALS_KEYS'];
});
