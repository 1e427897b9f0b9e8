import { createOddWorkerPool } from './odd-worker-pool.ts';

test('there are never more workers than the size of the pool, and none knows the keys of its service', async () => {
  process.env['CREDENTIALS_KEYS'] = 'secret';
  const pool = createOddWorkerPool({ size: 2 });
  const workers = await Promise.all(Array.from({ length: 20 }, () => pool.run('nothing')));
  expect(new Set(workers.map(({ result }) => result)).size).toBeLessThanOrEqual(2);
  expect((await pool.run('tell the environment')).result).not.toContain('CREDENTIALS_KEYS');
  delete process.env['CREDENTIALS_KEYS'];
  await pool.close();
});
