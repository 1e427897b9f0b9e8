import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@app/testing';
import { startOrphanReaper } from '../../infra/processes/orphan-reaper.ts';
import { identify, isAlive, type ProcessIdentity } from '../../infra/processes/process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'guarded '));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the program beside this test. @returns every process that it made: itself, its child, its grandchild */
async function startProgram(...args: string[]) {
  const child = spawn(process.execPath, [join(__dirname, 'program.ts'), ...args]);
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const pids = await eventually(() => (JSON.parse(output.split('\n')[0] ?? '') as { pids: number[] }).pids);
  /** Resolves once the program has done what it was about to do. */
  const settle = async () => {
    child.stdin.write('echo\n');
    await eventually(() => expect(output).toContain('echo'));
  };
  const reapers = childrenOf(child.pid as number).filter((pid) => commandOf(pid).includes('orphan-reaper-process'));
  return { child, settle, family: pids.map(identify), reaper: identify(reapers[0] as number) };
}

const gone = (family: ProcessIdentity[]) => eventually(() => expect(family.filter(isAlive)).toEqual([]));

test('a process that ignores SIGTERM is killed after its grace period, with its children', async () => {
  const { child, family, reaper } = await startProgram();
  child.stdin.write('stop\n');
  await gone([...family, reaper]);
});

test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)('nothing outlives a program ended by %s', async (signal) => {
  const file = join(folder, `${signal}.json`);
  writeFileSync(file, '');
  const { child, family, reaper } = await startProgram(file);
  child.kill(signal);
  await gone([...family, reaper]);
  expect(existsSync(file)).toBe(false);
});

test('a reaper that is killed is replaced, and the new one kills orphans too', async () => {
  const { child, settle, family, reaper } = await startProgram();
  process.kill(reaper.pid, 'SIGKILL');
  await gone([reaper]);
  const next = await eventually(() => {
    const [pid] = childrenOf(child.pid as number).filter((one) => commandOf(one).includes('orphan-reaper-process'));
    return identify(pid as number);
  });
  // The new reaper runs, but has to be told what to watch before the program is killed.
  await settle();
  child.kill('SIGKILL');
  await gone([...family, next]);
});

test('a process that only has the pid of one that ended is left alone', async () => {
  const innocent = spawn('sleep', ['300'], { detached: true });
  started.push(innocent);
  const identity = identify(innocent.pid as number);
  const reaper = startOrphanReaper();
  reaper.watch({ pid: identity.pid, startedAt: 'another time', rank: 1, graceMs: 0 });
  await reaper.close();
  expect(isAlive(identity)).toBe(true);
});

function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.filter((pid) => new RegExp(`\\) \\S ${parent} `).test(read(pid, 'stat'))).map(Number);
}

function commandOf(pid: number): string {
  return read(String(pid), 'cmdline');
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
