import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a finished command said. `ok` is false for a failure, a timeout, and a program that is not there. */
export type Result = { ok: boolean; output: string };

/** Runs a command to its end, its two outputs together; never rejects. */
export function run(program: string, args: string[], timeoutMs = 30_000, env = process.env): Promise<Result> {
  return new Promise((done) => {
    const options = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, env };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const printed = `${stdout}${stderr}`;
      // A program may exit with 0 when the timeout ends it, as `rabbitmqctl` does: Node then reports no error.
      if (child.killed) done({ ok: false, output: `${printed}${program} took longer than ${timeoutMs} ms` });
      else done({ ok: error === null, output: printed || (error?.message ?? '') });
    });
  });
}

/** The first of these programs that can be executed: absolute paths are looked at, plain names are sought on `path`. */
export function findProgram(candidates: string[], path = process.env['PATH'] ?? ''): string | undefined {
  const folders = path.split(delimiter).filter(Boolean);
  const paths = candidates.flatMap((name) =>
    name.includes('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  return paths.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The end of a text, for messages that show why something failed. */
export function lastLines(text: string, count = 5): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
