import { dirname, join, resolve } from 'node:path';
import { type Arguments, parseArguments, UsageError, usage } from './harness/arguments.ts';
import type { Bench } from './harness/bench.ts';
import { startLoad } from './harness/load/load.ts';
import { memoryTable, untilIdle } from './harness/meters/memory.ts';
import { profileTables } from './harness/meters/profile.ts';
import { type Platform, readPlatform, startPlatform } from './harness/platform/platform.ts';
import { type Session, withSession } from './harness/session.ts';
import { againstAim, decimals, figure, table, text } from './harness/table.ts';
import { suites } from './suites.ts';

/** `tools/bench` of the repository that is measured. */
const folder = dirname(resolve(process.argv[1] ?? ''));
const root = dirname(dirname(folder));
const readyAimS = 30;
/** One caller sends everything. */
const unlimited = { RATE_LIMIT_PER_MINUTE: '100000000' };

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2), Object.keys(suites));
  if (!given) return console.log(usage(Object.keys(suites)));
  await withSession((session) => run(given, session));
  return undefined;
}

async function run(given: Arguments, session: Session): Promise<void> {
  const { processes, onEnd } = session;
  const { profileDir } = given;
  const progress = (line: string) => console.error(`… ${line}`);
  const platform = await platformOf(given, session, progress);
  const load = startLoad(join(folder, 'harness/load'));
  onEnd(() => load.close());
  const measured = new Map(Object.entries(platform.pids));
  const profiled = new Map(Object.entries(platform.pids).map(([name, pid]) => [pid, name]));
  const { million, rounds, roundMs } = given;
  const bench: Bench = {
    ...{ root, platform, processes, load, million, rounds, roundMs, progress },
    print: (shown) => console.log(shown),
    measureMemoryOf: (name, pid) => void measured.set(name, pid),
    profiling: profilingOf(given),
    nameProfile: (name, pid) => void profiled.set(pid, name),
    onEnd,
  };
  const names = given.suites.length > 0 ? given.suites : Object.keys(suites);
  for (const name of names) await suites[name]?.(bench);
  // Idle first: services release memory once a load is over.
  await untilIdle([...measured.values()]);
  console.log(memoryTable(measured));
  if (platform.readyAfterS !== null) console.log(startTable(platform.readyAfterS));
  if (profileDir) {
    await session.end();
    console.log(profileTables(profileDir, { root, names: profiled }));
  }
}

async function platformOf(
  given: Arguments,
  { processes, temporary, onEnd }: Session,
  progress: (line: string) => void,
): Promise<Platform> {
  if (given.stackFile) return readPlatform(given.stackFile);
  progress('starting a platform');
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', ...unlimited, ...profilingOf(given) };
  const platform = await startPlatform({ root, folder: temporary, processes, env });
  onEnd(() => platform.stop());
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

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
