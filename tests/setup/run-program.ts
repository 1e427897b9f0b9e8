import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/**
 * Runs a program of the repository in a process of its own, as it is run by hand. @throws Error with its output if it fails:
 * that says what is wrong, and where the logs are
 */
export async function runProgram(program: string, options: string[]): Promise<void> {
  const run = spawn(process.execPath, [join(root, program), ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (text: Buffer) => output.push(text.toString()));
  const [code] = await once(run, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output.join('')}`);
}
