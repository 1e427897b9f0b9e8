import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from '@app/start/infra';
import { eventually } from '@app/testing';

export type StackFile = { mongodb: string; amqp: string; adminToken: string; pids: Record<string, number> };

/** A launcher with dummy services. */
export type Launcher = ReturnType<typeof launch>;

export type LaunchOptions = {
  folder: string;
  base: number;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** Started instead, such as npm; it must start the launcher. */
  command?: string[];
};

/** A folder with spaces in its path. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'a new stack '));
}

export const dummyLauncher = join(__dirname, 'dummy-launcher.ts');

const launched: ChildProcess[] = [];

/** What a test that failed left running goes too: their reapers see to the rest. */
export function killLaunchers(): void {
  for (const child of launched.splice(0)) child.kill('SIGKILL');
}

/** Starts it without the MongoDB, RabbitMQ and folder of the test run: it has to find its own, unless `env` gives them. */
export function launch({ folder, base, args = [], env = {}, command }: LaunchOptions) {
  const [program, ...first] = command ?? [process.execPath, dummyLauncher, folder];
  const { MONGODB_URL: _, AMQP_URL: __, npm_lifecycle_event: ___, STACK_DIR: ____, ...inherited } = process.env;
  const child = spawn(program as string, [...first, ...(command ? [] : ['--port-base', String(base)]), ...args], {
    cwd: folder,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  launched.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exitCode = new Promise<number | null>((done) => child.once('exit', done));
  const ready = () =>
    eventually(() => {
      if (child.exitCode !== null) throw new Error(`the launcher ended: ${output}`);
      // The file alone could be that of a launcher before, which was killed and did not remove it yet.
      expect(output).toContain('ready after');
      return { ...readStack(folder), processes: descendants(child.pid as number) };
    }, 90_000);
  return {
    folder,
    child,
    output: (): string => output,
    exitCode,
    /** What stands in `.stack/stack.json`, once it is there, and every process that makes up the stack. */
    ready,
  };
}

export function readStack(folder: string): StackFile {
  return JSON.parse(readFileSync(join(folder, '.stack', 'stack.json'), 'utf8')) as StackFile;
}

/** Nothing of a stack is left: no process, no file that says it runs. */
export async function expectGone(folder: string, processes: ProcessIdentity[]): Promise<void> {
  await eventually(() => {
    const left = processes.filter(isAlive).map(({ pid }) => `${pid} ${readProc(pid, 'cmdline')}`);
    expect(left).toEqual([]);
    expect(existsSync(join(folder, '.stack', 'stack.json'))).toBe(false);
  });
}

/** Every process that comes from this one, and itself. */
function descendants(root: number): ProcessIdentity[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(all.map((pid) => [pid, parentOf(pid)]));
  const found = [root];
  for (const pid of found) found.push(...all.filter((child) => parents.get(child) === pid));
  return found.map(identify);
}

function parentOf(pid: number): number {
  const stat = readProc(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').join(' ');
  } catch {
    return '';
  }
}
