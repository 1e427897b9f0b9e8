import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Targets } from './prometheus.ts';

/** Where each process of the cluster shows its metrics. */
export function targetsOf({ replicas }: Cluster): Targets {
  const byService = Map.groupBy(replicas, ({ service }) => service);
  return Object.fromEntries([...byService].map(([service, of]) => [service, of.map(({ opsPort }) => opsPort)]));
}
