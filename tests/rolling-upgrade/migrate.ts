import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '../faults/cluster/cluster.ts';

/** `npm run migrate` of this version, beside the one that runs, as docs/upgrading.md says. @throws Error with what it said */
export async function migrate({ root, cluster }: { root: string; cluster: Cluster }): Promise<string> {
  const { dir, keys, mongodbUrl, namespace, rabbit } = cluster;
  const env = {
    ...{ ...process.env, ...keys },
    ...{ NAMESPACE: namespace, STACK_DIR: dir },
    ...{ MONGODB_URL: mongodbUrl, AMQP_URL: `amqp://127.0.0.1:${rabbit.ports[0]}` },
  };
  const program = join(root, 'tools/migrate/main.ts');
  try {
    return (await promisify(execFile)(process.execPath, [program], { cwd: root, env })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm run migrate failed:\n${stdout}${stderr}`);
  }
}
