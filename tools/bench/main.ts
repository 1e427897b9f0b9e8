import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createProcesses, type Processes } from '@app/infra';
import { type Arguments, parseArguments, UsageError, usage } from './harness/arguments.ts';
import type { Bench } from './harness/bench.ts';
import { startLoad } from './harness/load.ts';
import { memoryTable, untilIdle } from './harness/memory.ts';
import { type Platform, readPlatform, startPlatform } from './harness/platform.ts';
import { profileTables } from './harness/profile.ts';
import { againstAim, decimals, figure, table, text } from './harness/table.ts';
import { suites } from './suites.ts';

/** `tools/bench` of the repository that is measured. */
const folder = dirname(resolve(process.argv[1] ?? ''));
const root = dirname(dirname(folder));
const readyAimS = 30;

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2), Object.keys(suites));
  if (!given) return console.log(usage(Object.keys(suites)));
  const processes = createProcesses();
  const temporary = mkdtempSync(join(tmpdir(), 'bench-'));
  const undo: (() => Promise<void>)[] = [
    async () => rmSync(temporary, { recursive: true, force: true }),
    () => processes.close(),
  ];
  const stop = () => void takeDown(undo).then(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await run({ given, processes, temporary, undo });
  } finally {
    await takeDown(undo);
  }
  return undefined;
}

type Session = { given: Arguments; processes: Processes; temporary: string; undo: (() => Promise<void>)[] };

async function run({ given, processes, temporary, undo }: Session): Promise<void> {
  const { profileDir } = given;
  const progress = (line: string) => console.error(`… ${line}`);
  const platform = await platformOf({ given, processes, temporary, undo }, progress);
  const load = startLoad(join(folder, 'harness'));
  undo.push(() => load.close());
  const measured = new Map(Object.entries(platform.pids));
  const profiled = new Map(Object.entries(platform.pids).map(([name, pid]) => [pid, name]));
  const { million, rounds, roundMs } = given;
  const bench: Bench = {
    ...{ root, platform, processes, load, million, rounds, roundMs, progress },
    print: (shown) => console.log(shown),
    measureMemoryOf: (name, pid) => void measured.set(name, pid),
    profiling: profilingOf(given),
    nameProfile: (name, pid) => void profiled.set(pid, name),
    onEnd: (end) => void undo.push(end),
  };
  const names = given.suites.length > 0 ? given.suites : Object.keys(suites);
  for (const name of names) await suites[name]?.(bench);
  // Idle first: services release memory once a load is over.
  await untilIdle([...measured.values()]);
  console.log(memoryTable(measured));
  if (platform.readyAfterS !== null) console.log(startTable(platform.readyAfterS));
  if (profileDir) {
    await takeDown(undo);
    console.log(profileTables(profileDir, { root, names: profiled }));
  }
}

async function platformOf(session: Session, progress: (line: string) => void): Promise<Platform> {
  const { given, processes, temporary, undo } = session;
  if (given.stackFile) return readPlatform(given.stackFile);
  progress('starting a platform');
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', ...profilingOf(given) };
  const platform = await startPlatform({ root, folder: temporary, processes, env });
  undo.push(() => platform.stop());
  return platform;
}

function profilingOf({ profileDir }: Arguments): NodeJS.ProcessEnv {
  return profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
}

function startTable(seconds: number): string {
  const aim = againstAim(seconds, { most: readyAimS }, 0);
  return table(
    'Start, from nothing to a platform that answers',
    [figure('seconds'), text('aim')],
    [[decimals(seconds, 1), aim]],
  );
}

/** Last in, first out; each once, also if two signals arrive. */
async function takeDown(undo: (() => Promise<void>)[]): Promise<void> {
  for (let one = undo.pop(); one; one = undo.pop()) {
    await one().catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
