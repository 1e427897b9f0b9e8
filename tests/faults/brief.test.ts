import { runProgram } from '../setup/run-program.ts';

test('nothing acknowledged is lost or delivered as two while processes die, links break and the primary changes', async () => {
  // The platform there is no other test's. It fails as well if a fault had no effect.
  await runProgram('tests/drill/main.ts', ['faults', '--brief', '--seed', '42']);
}, 1_800_000);
