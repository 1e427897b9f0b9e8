import type { RabbitOptions } from '@app/start/infra';
import { findDocker, volumeName } from '../../../tools/start/infra/docker.ts';
import { InfraError } from '../../../tools/start/infra/infra-server.ts';
import { type Result, run } from '../../../tools/start/infra/processes/run.ts';
import { controlWithinMs, findRabbitPrograms } from '../../../tools/start/infra/rabbit/rabbit-install.ts';
import { nodeEnvironment } from '../../../tools/start/infra/rabbit/rabbit-node.ts';
import { stablePath } from '../../../tools/start/infra/rabbit/stable-path.ts';

/**
 * Runs `rabbitmqctl` for a broker that we run (`findRabbit` with the same options). @throws
 * InfraError if it fails
 */
export async function controlRabbit(options: RabbitOptions, args: string[]): Promise<void> {
  const container = volumeName('rabbitmq', options.dataDir);
  const docker = await findDocker();
  // Docker may answer and yet not run this broker: it had no image when the broker started, or was
  // started later.
  const { ok, output } =
    docker && (await run(docker, ['container', 'inspect', container])).ok
      ? await run(docker, ['exec', container, 'rabbitmqctl', ...args], controlWithinMs)
      : await runOnMachine(options, args);
  if (!ok) throw new InfraError(`rabbitmqctl ${args.join(' ')} failed: ${output}`);
}

async function runOnMachine(options: RabbitOptions, args: string[]): Promise<Result> {
  const programs = await findRabbitPrograms(options);
  return run(
    programs.control,
    args,
    controlWithinMs,
    nodeEnvironment(stablePath(options.dataDir), { ...options, programs }),
  );
}
