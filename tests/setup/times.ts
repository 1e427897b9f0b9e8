import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs each project of the tests alone and prints what it costs: processor seconds of all processes and by their kind, and wall
 * seconds. `node tests/setup/times.ts [project…]`, on Linux, since it reads /proc.
 */
const kinds: [name: string, of: RegExp][] = [
  ['mongod', /mongod/],
  ['RabbitMQ', /erlang|rabbitmq/],
  ['Chromium', /chrom/],
  ['services', /\/services\/[\w-]+\/main\.ts/],
  ['jest', /jest/],
  ['other', /./],
];
const ticksPerSecond = 100;
/** What a process uses after the last look at it is not seen: some 5 % of a run of short processes. */
const sampleMs = 500;

type Usage = { parent: number; command: string; ticks: number };

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return { parent: at(1), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), ticks: at(11) + at(12) };
}

function processes(): Map<number, Usage> {
  const found = new Map<number, Usage>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      found.set(pid, usageOf(pid));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** What each process below `root` has used so far. */
function sample(root: number, used: Map<number, Usage>): void {
  const all = processes();
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(all.get(pid)?.parent ?? 0));
  for (const [pid, usage] of all) if (isBelow(pid)) used.set(pid, usage);
}

function secondsByKind(used: Map<number, Usage>): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const { command, ticks } of used.values()) {
    const kind = kinds.find(([, of]) => of.test(command))?.[0] ?? 'other';
    seconds.set(kind, (seconds.get(kind) ?? 0) + ticks / ticksPerSecond);
  }
  return seconds;
}

async function measure(project: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'times-'));
  const file = join(folder, 'results.json');
  const startedAt = Date.now();
  const args = ['jest', '--selectProjects', project, '--reporters=agent', '--json', `--outputFile=${file}`];
  const run = spawn('npx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const used = new Map<number, Usage>();
  const timer = setInterval(() => sample(run.pid as number, used), sampleMs);
  await once(run, 'exit');
  clearInterval(timer);
  const { testResults, numTotalTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  const tests = `${testResults.length} files, ${numTotalTests} tests, ${numFailedTests} failed`;
  const seconds = secondsByKind(used);
  const parts = [...seconds].map(([kind, spent]) => `${kind} ${spent.toFixed(0)}`).join(', ');
  const cpu = [...seconds.values()].reduce((sum, spent) => sum + spent, 0);
  const wall = (Date.now() - startedAt) / 1_000;
  console.log(`| ${project} | ${tests} | ${cpu.toFixed(0)} CPU s | ${parts} | ${wall.toFixed(0)} s |`);
}

const given = process.argv.slice(2);
for (const project of given.length > 0 ? given : ['unit', 'int', 'e2e', 'browser', 'faults']) await measure(project);
