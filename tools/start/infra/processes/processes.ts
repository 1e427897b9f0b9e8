import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type OrphanReaper, startOrphanReaper } from './orphan-reaper.ts';
import { identify } from './process-identity.ts';

/** How a process ended: its exit code, or the signal that ended it. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type RunningProcess = {
  pid: number;
  /** Settles once, when the process has ended; never rejects. */
  exited: Promise<Exit>;
  /** SIGTERM, then SIGKILL to the whole group after its grace; settles when nothing of it is left. */
  stop(): Promise<void>;
};

type Command = {
  program: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Stopped in descending order when the launcher dies: services 3, infrastructure 2, what infrastructure needs 1. */
  rank: number;
  graceMs: number;
  /** A command that removes what a kill leaves, such as a container. */
  cleanup?: string[];
  /** Where its output goes: appended to a file, or passed on line by line (then the child also gets a channel that ends with us). */
  output: { file: string } | { line: (text: string) => void };
};

/** Starts processes that never outlive this one. */
export type Processes = ReturnType<typeof createProcesses>;

/** Starts the orphan reaper at once, so call `close` when done. */
export function createProcesses() {
  const reaper = startOrphanReaper();
  let closed = false;
  return {
    /** A program that is missing ends with code 127 and has the pid 0. @throws Error after `close` or `killNow` */
    start(command: Command): RunningProcess {
      // Something that was slow to prepare must not start after everything else has been stopped.
      if (closed) throw new Error(`${command.program} is not started any more: everything is being stopped`);
      return startProcess(command, reaper);
    },
    /** Removes a file when this process ends in whatever way, or closes. */
    removeAtEnd: (path: string): void => reaper.remove(path),
    /** Ends everything without grace; this process may exit right after. */
    killNow(): void {
      closed = true;
      reaper.killNow();
    },
    /** Stops what still runs, then the reaper; nothing can be started any more. */
    close(): Promise<void> {
      closed = true;
      return reaper.close();
    },
  };
}

const flushMs = 500;

function startProcess(command: Command, reaper: OrphanReaper): RunningProcess {
  // A group of its own: what the terminal sends on Ctrl-C reaches the launcher alone, which stops things in order.
  const child = spawnCommand(command);
  // A missing program is reported by the 'error' event, after this line.
  const failed = new Promise<Exit>((done) => child.once('error', () => done({ code: 127, signal: null })));
  const ended = new Promise<Exit>((done) => child.once('exit', (code, signal) => done({ code, signal })));
  const flushed = new Promise((done) => child.once('close', done));
  const pid = child.pid;
  if (pid === undefined) return { pid: 0, exited: failed, stop: async () => {} };
  watch(pid, command, reaper);
  const exited = ended.then(async (exit) => {
    killGroup(pid);
    reaper.forget(pid);
    // Its last lines say why it ended; one that left its pipe to somebody else does not keep us waiting.
    await Promise.race([flushed, new Promise((done) => setTimeout(done, flushMs).unref())]);
    return exit;
  });
  return { pid, exited, stop: () => stopProcess(child, exited, command.graceMs) };
}

function spawnCommand(command: Command): ChildProcess {
  const options = { env: command.env, cwd: command.cwd, detached: true };
  if ('file' in command.output) {
    const file = openSync(command.output.file, 'a', 0o600);
    const child = spawn(command.program, command.args, { ...options, stdio: ['ignore', file, file] });
    closeSync(file);
    return child;
  }
  const { line } = command.output;
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];
  const child = spawn(command.program, command.args, { ...options, stdio });
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', line);
  return child;
}

function watch(pid: number, command: Command, reaper: OrphanReaper): void {
  const { rank, graceMs, cleanup } = command;
  try {
    reaper.watch({ ...identify(pid), rank, graceMs, ...(cleanup ? { cleanup } : {}) });
  } catch {
    // It ended before it could be looked at: there is nothing to guard.
  }
}

async function stopProcess(child: ChildProcess, exited: Promise<Exit>, graceMs: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const timer = setTimeout(() => killGroup(child.pid as number), graceMs);
  await exited;
  clearTimeout(timer);
}

/** What a process left in its group goes with it. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left, as it should be.
  }
}
