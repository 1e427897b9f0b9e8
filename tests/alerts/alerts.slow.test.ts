import { runProgram } from '../setup/run-program.ts';

test('each alert fires for the fault that it is there for, and none before, on a platform that Prometheus watches', async () => {
  await runProgram('tests/drill/main.ts', ['alerts']);
}, 1_800_000);
