import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from './cluster.ts';
import type { Shape } from './infrastructure.ts';

type Options = {
  name: string;
  root: string;
  shape: Shape;
  seed: number;
  /** Keeps the folder of the run with its logs, even after a success. */
  keep: boolean;
  say: (line: string) => void;
};

/**
 * Starts a cluster, runs `run` on it and stops it, also at a signal. The exit code is 0 if `run` resolves to true; otherwise the folder of
 * the run stays.
 */
export async function runOnCluster(
  { name, root, shape, seed, keep, say }: Options,
  run: (cluster: Cluster) => Promise<boolean>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`));
  say(`seed ${seed}, logs in ${dir}/logs`);
  const cluster = await startCluster({ root, dir, shape, say });
  const stopAtSignal = () => void cluster.stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stopAtSignal);
  process.env['STACK_DIR'] = cluster.dir;
  let isRight = false;
  try {
    isRight = await run(cluster);
  } finally {
    await cluster.stop();
    if (isRight && !keep) rmSync(dir, { recursive: true, force: true });
    else say(`the logs of this run stay in ${dir}`);
  }
  process.exitCode = isRight ? 0 : 1;
}

/**
 * Runs a program and then exits, even if something is still running: after a failure the integrators would never end
 * by themselves.
 */
export function runToEnd(main: () => Promise<void>): void {
  main().then(
    () => process.exit(),
    (error: unknown) => {
      // A wrong argument is reported in one sentence, without a stack.
      console.error(error instanceof TypeError ? error.message : error);
      process.exit(1);
    },
  );
}
