import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findProgram } from '@app/start/infra';

/**
 * Runs a program of the repository in a process of its own, as it is run by hand. @returns what it said
 * @throws Error with its output if it fails: that says what is wrong, and where the logs are
 */
export async function runProgram(
  program: string,
  args: string[],
  { root = join(__dirname, '..', '..'), env = process.env } = {},
): Promise<string> {
  const run = spawn(process.execPath, [join(root, program), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (text: Buffer) => output.push(text.toString()));
  const [code] = await once(run, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output.join('')}`);
  return output.join('');
}

/** Whether a program is on this machine. If not, says what is not run without it, so that nobody takes that for tested. */
export function isHere(program: string, what: string): boolean {
  const found = findProgram([program]) !== undefined;
  if (!found) process.stderr.write(`${what} not run, since this machine lacks: ${program}\n`);
  return found;
}
