import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { runProgram } from '../setup/run-program.ts';

const root = join(__dirname, '..', '..');

/** Without its history a clone has no version before this one. */
const isShallow =
  execFileSync('git', ['rev-parse', '--is-shallow-repository'], { cwd: root, encoding: 'utf8' }) === 'true\n';

(isShallow ? test.skip : test)(
  'under load, every service goes to this version and back without a failed request, a dead letter or a lost webhook',
  async () => {
    // All services at once, one process of each: a seventh of the time.
    await runProgram('tests/drill/main.ts', ['rolling-upgrade', '--at-once', '7', '--patient', '--seed', '42']);
  },
  1_800_000,
);
