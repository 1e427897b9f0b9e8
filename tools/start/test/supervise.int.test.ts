import { createProcesses } from '@app/infra';
import { eventually } from '@app/testing';
import { supervise } from '../services/supervise.ts';

const processes = createProcesses();
afterAll(() => processes.close());

/** A process under supervision that runs `script` each time it is started. */
function supervised(script: string) {
  const seen = { starts: 0, errors: [] as string[], failures: [] as string[], restarts: 0 };
  const start = () => {
    seen.starts += 1;
    const args = ['-c', script];
    return processes.start({ program: '/bin/sh', args, env: process.env, rank: 3, graceMs: 0, output: { line() {} } });
  };
  const watched = supervise({
    name: 'identity',
    running: start(),
    restart: start,
    logError: (text) => seen.errors.push(text),
    onRestart: () => (seen.restarts += 1),
    fail: (reason) => seen.failures.push(reason),
  });
  return { seen, watched };
}

test('what ends is started again, and its end is told; the fifth within a minute ends everything', async () => {
  const { seen } = supervised('exit 7');
  await eventually(() =>
    expect(seen.failures).toEqual(['identity ended unexpectedly (exit code 7), 5 times within a minute']),
  );
  expect(seen.errors).toEqual(Array(4).fill('identity ended unexpectedly (exit code 7): starting it again'));
  expect([seen.starts, seen.restarts]).toEqual([5, 4]);
});

test('what is stopped is not started again', async () => {
  const { seen, watched } = supervised('sleep 300');
  await watched.stop();
  expect(seen).toEqual({ starts: 1, errors: [], failures: [], restarts: 0 });
});
