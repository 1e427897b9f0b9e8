import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** Without its history a clone has no version before this one. */
const isShallow =
  execFileSync('git', ['rev-parse', '--is-shallow-repository'], { cwd: root, encoding: 'utf8' }) === 'true\n';

(isShallow ? test.skip : test)(
  'under load, every service goes to this version and back without a failed request, a dead letter or a lost webhook',
  async () => {
    // In a process of its own, as it is run by hand. All services at once, one process of each: a seventh of the time.
    const options = ['--at-once', '7', '--patient', '--seed', '42'];
    const run = spawn(process.execPath, [join(__dirname, 'main.ts'), ...options], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (text: Buffer) => output.push(text.toString()));
    const [code] = await once(run, 'exit');
    // The output says what went wrong, and where the logs are.
    expect({ code, output: code === 0 ? '' : output.join('') }).toEqual({ code: 0, output: '' });
  },
  1_800_000,
);
