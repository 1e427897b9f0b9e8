import { runProgram } from '../setup/run-program.ts';

test('nothing acknowledged is lost, delivered as two or left over, whatever dies: the short form with a fixed seed', async () => {
  // The platform there is no other test's.
  await runProgram('tests/drill/main.ts', ['faults', '--short', '--seed', '42']);
}, 3_600_000);
