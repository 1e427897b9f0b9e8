import { createProcesses } from '../../infra/processes/processes.ts';

/**
 * A program that starts another, which ignores SIGTERM and has a child of its own, and prints all their pids. Its
 * argument is a file to remove at its end. `stop` on its standard input makes it stop in order; any other line is echoed.
 */
const stubborn = `trap '' TERM; sleep 300 & echo $!; while :; do sleep 1; done`;

const processes = createProcesses();
const started = processes.start({
  program: '/bin/sh',
  args: ['-c', stubborn],
  env: process.env,
  rank: 2,
  graceMs: 300,
  output: {
    line: (child) =>
      void process.stdout.write(`${JSON.stringify({ pids: [process.pid, started.pid, Number(child)] })}\n`),
  },
});
if (process.argv[2]) processes.removeAtEnd(process.argv[2]);
process.stdin.on('data', async (line) => {
  if (String(line) !== 'stop\n') return void process.stdout.write(line);
  await started.stop();
  await processes.close();
  process.exit(0);
});
