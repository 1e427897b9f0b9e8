import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

export type Line = Record<string, unknown>;

export type Program = ReturnType<typeof runProgram>;

/** Runs a program of `test/programs` as a process of its own, with a channel to this one as the launcher keeps it. */
export function runProgram(name: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = fork(join(__dirname, 'programs', name), args, {
    env: { ...process.env, ...env },
    execArgv: [],
    silent: true,
  });
  let stdout = '';
  let stderr = '';
  const streams = [child.stdout, child.stderr] as Readable[];
  child.stdout?.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  return {
    child,
    stdout: (): string => stdout,
    stderr: (): string => stderr,
    /** Its log, one object a line. */
    lines: (): Line[] =>
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    /** Waits for its end and gives what it exited with. */
    // Not `close`: it never comes to a parent that has let go of the channel.
    ended: Promise.all([once(child, 'exit'), ...streams.map((stream) => finished(stream))]).then(
      ([[code, signal]]) => ({
        code,
        signal,
      }),
    ),
  };
}
