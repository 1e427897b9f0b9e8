import { createProcesses, type RunningProcess } from '@app/start/infra';
import { eventually } from '@app/testing';
import { supervise } from '../services/supervise.ts';

const processes = createProcesses();
afterAll(() => processes.close());

const startOne = (): RunningProcess =>
  processes.start({
    program: '/bin/sh',
    args: ['-c', 'exit 7'],
    env: process.env,
    rank: 3,
    graceMs: 0,
    output: { line: () => {} },
  });

test('what ends is started again, and its end is told; the fifth within a minute ends everything', async () => {
  const [restart, logError, onRestart, fail] = [jest.fn(startOne), jest.fn(), jest.fn(), jest.fn()];
  supervise({ name: 'identity', running: startOne(), restart, logError, onRestart, fail });
  await eventually(() => expect(fail).toHaveBeenCalled());
  const what = 'identity ended unexpectedly (exit code 7)';
  expect(fail.mock.calls).toEqual([[`${what}, 5 times within a minute`]]);
  expect(logError.mock.calls).toEqual(Array(4).fill([`${what}: starting it again`]));
  expect([restart, onRestart].map((called) => called.mock.calls.length)).toEqual([4, 4]);
});
