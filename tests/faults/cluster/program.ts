import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '@app/start/infra';
import { type Cluster, startCluster } from './cluster.ts';
import type { Shape } from './infrastructure.ts';

type Options = {
  name: string;
  shape: Shape;
  seed: number;
  /** Keeps the folder of the run with its logs, even after a success. */
  keep: boolean;
  /** Puts the code of the services into a folder of the run; by default they are those of this repository. */
  checkOut?: (dir: string) => Promise<{ code: string; remove(): Promise<void> }>;
};

/** Of the repository: programs of runs are in a folder of `tests`. */
export const root = resolve(dirname(process.argv[1] ?? ''), '..', '..');

export const say = (line: string) => console.log(line);

/**
 * Starts a cluster, runs `run` on it once it is ready, and stops it, also at a signal. The exit code is 0 if `run` resolves to true;
 * otherwise the folder of the run stays.
 */
export async function runOnCluster(
  { name, shape, seed, keep, checkOut }: Options,
  run: (cluster: Cluster) => Promise<boolean>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`));
  say(`seed ${seed}, logs in ${dir}/logs`);
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step().catch((error) => say(`stopping: ${error}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  let isRight = false;
  try {
    const { code = root, remove } = (await checkOut?.(dir)) ?? {};
    if (remove) undo.push(remove);
    const cluster = await startCluster({ root, code, dir, shape, say });
    undo.push(cluster.stop);
    process.env['STACK_DIR'] = cluster.dir;
    await cluster.waitUntilReady();
    say('the platform is ready');
    isRight = await run(cluster);
  } finally {
    await stop();
    if (isRight && !keep) rmSync(dir, { recursive: true, force: true });
    else say(`the logs of this run stay in ${dir}`);
  }
  process.exitCode = isRight ? 0 : 1;
}

/**
 * Runs a program and then exits, even if something is still running: after a failure the integrators would never end
 * by themselves.
 */
export async function runToEnd(main: () => Promise<void>): Promise<void> {
  try {
    await main();
    process.exit();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    console.error(error);
    process.exit(1);
  }
}
