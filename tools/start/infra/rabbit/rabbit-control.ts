import { findDocker, volumeName } from '../docker.ts';
import { InfraError } from '../infra-server.ts';
import { type Result, run } from '../processes/run.ts';
import type { RabbitOptions } from './rabbit.ts';
import { controlWithinMs, findRabbitPrograms } from './rabbit-install.ts';
import { nodeEnvironment } from './rabbit-node.ts';
import { stablePath } from './stable-path.ts';

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
