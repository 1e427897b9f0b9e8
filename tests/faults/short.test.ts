import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

test('nothing acknowledged is lost, told twice or left over, whatever dies: the short form with a fixed seed', async () => {
  // In a process of its own, as it is run by hand: the platform there is no other test's.
  const run = spawn(process.execPath, [join(__dirname, 'main.ts'), '--short', '--seed', '42'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (text: Buffer) => output.push(text.toString()));
  const [code] = await once(run, 'exit');
  // The output says which thing is wrong, and where the logs are.
  expect({ code, output: code === 0 ? '' : output.join('') }).toEqual({ code: 0, output: '' });
}, 1_800_000);
