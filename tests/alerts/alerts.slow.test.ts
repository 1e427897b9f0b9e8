import { runProgram } from '../setup/run-program.ts';

test('each alert fires for the fault that it is there for, and none before, on a platform that Prometheus watches', async () => {
  await runProgram('tests/alerts/main.ts', []);
}, 1_800_000);
