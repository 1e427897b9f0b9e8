import { run } from '../../infra/processes/run.ts';

/** Ends with 0 when it is asked to end, as `rabbitmqctl` does. */
const endsPolitely =
  "process.on('SIGTERM', () => process.exit(0)); console.log('working'); setInterval(() => {}, 1000)";

test.each([
  ['that succeeds', ['-e', "console.log('done')"], 60_000, { ok: true, output: 'done\n' }],
  ['that fails', ['-e', "console.error('no'); process.exit(3)"], 60_000, { ok: false, output: 'no\n' }],
  [
    'whose time is over',
    ['-e', endsPolitely],
    3_000,
    { ok: false, output: expect.stringMatching(/took longer than 3000 ms$/) },
  ],
])('a command %s says so', async (_, args, timeoutMs, expected) => {
  expect(await run(process.execPath, args, timeoutMs)).toEqual(expected);
});

test('a program that is not there is a failure', async () => {
  expect(await run('no-such-program-of-ours', [])).toMatchObject({
    ok: false,
    output: expect.stringContaining('ENOENT'),
  });
});
