import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';

const lookEveryMs = 1_000;

/**
 * Watches what a fault does to the processes of services. `end` resolves to all that they have logged meanwhile, a line for each that
 * was not ready included.
 */
export function watchEffects(cluster: Cluster): { logged(pattern: RegExp): number; end(): Promise<string> } {
  const logs = cluster.replicas.map(({ name }) => join(cluster.dir, 'logs', `${name}.log`));
  const sizes = logs.map((log) => statSync(log).size);
  const missing = new Set<string>();
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      for (const name of await cluster.notReady()) missing.add(`${name} was not ready`);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  };
  const watching = watch();
  const readLogs = () => logs.map((log, index) => readFileSync(log).subarray(sizes[index]).toString()).join('\n');
  return {
    logged: (pattern) => [...readLogs().matchAll(pattern)].length,
    async end() {
      isOver = true;
      await watching;
      return [...missing, readLogs()].join('\n');
    },
  };
}
