import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, createProcesses, parseOptions, UsageError } from '@app/start/infra';
import { MongoClient } from 'mongodb';
import { appName, type Bench } from './bench.ts';
import { startPlatform } from './servers.ts';

export type Suite = (bench: Bench) => Promise<void>;

export const usage = `Usage: npm run bench -- [verb] [options]

Starts a platform for itself, measures it, and prints tables. Compared is within one run alone.

  --million N    how many tickets stand for a million (default 1000000; 200000 is quicker)
  --rounds N     rounds of each measurement, of which the median counts (default 5)
  --seconds S    length of a round (default 2)

NODE_OPTIONS reaches the services of that platform: --cpu-prof --cpu-prof-dir=DIR profiles them.`;

/** Runs them one after the other on a platform that lives as long. @throws UsageError */
export async function runSuites(suites: Suite[], args: string[], root: string): Promise<void> {
  const options = { million: { type: 'string' }, rounds: { type: 'string' }, seconds: { type: 'string' } } as const;
  const { values } = parseOptions(args, options);
  const million = numberOf('million', values.million ?? '1000000', 10_000);
  const rounds = numberOf('rounds', values.rounds ?? '5', 1);
  const roundMs = 1000 * numberOf('seconds', values.seconds ?? '2', 0.1);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const processes = createProcesses();
  const end = async () => {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void end().then(() => process.exit(130)));
  const progress = (line: string) => console.error(`… ${line}`);
  try {
    progress('starting a platform');
    const authority = await createAuthority(folder);
    const platform = await startPlatform({ root, processes }, folder, authority.certFile);
    await using client = await MongoClient.connect(platform.mongodb, { appName });
    for (const run of suites)
      await run({ root, authority, platform, client, processes, million, rounds, roundMs, progress });
  } finally {
    await end();
  }
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= 1e9) return value;
  throw new UsageError(`--${name} takes a number of at least ${least}, not '${text}'.`);
}
