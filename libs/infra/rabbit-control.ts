import { findDocker, volumeName } from './docker.ts';
import { InfraError } from './infra-server.ts';
import type { RabbitOptions } from './rabbit.ts';
import { nodeEnvironment } from './rabbit-node.ts';
import { findProgram, run } from './run.ts';
import { stablePath } from './stable-path.ts';

/** Beside the servers: what Debian has in /usr/sbin switches user. */
export const rabbitmqctlPlaces = [
  '/usr/lib/rabbitmq/bin/rabbitmqctl',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmqctl',
  '/usr/local/opt/rabbitmq/sbin/rabbitmqctl',
  'rabbitmqctl',
];
const withinMs = 60_000;

/** Has a broker that we run (`findRabbit` with the same options) do what `rabbitmqctl` can. @throws InfraError where it does not */
export async function controlRabbit(options: RabbitOptions, args: string[]): Promise<void> {
  const docker = await findDocker();
  const { ok, output } = docker
    ? await run(docker, ['exec', volumeName('rabbitmq', options.dataDir), 'rabbitmqctl', ...args], withinMs)
    : await run(findProgram(rabbitmqctlPlaces) ?? 'rabbitmqctl', args, withinMs, environment(options));
  if (!ok) throw new InfraError(`rabbitmqctl ${args.join(' ')} failed: ${output}`);
}

function environment(options: RabbitOptions): NodeJS.ProcessEnv {
  return nodeEnvironment(stablePath(options.dataDir), options);
}
