import { aptInstall } from './apt-install.ts';
import { InfraError, type Say } from './infra-server.ts';
import { findProgram } from './run.ts';
import { rabbitPackage } from './versions.ts';

/** Debian's program in /usr/sbin switches user; the one that it wraps runs as anyone. */
const places = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
  'rabbitmq-server',
];

/**
 * The `rabbitmq-server` of the machine, installed first where that is possible.
 * @throws InfraError saying what to install
 */
export async function findRabbitServer(say: Say): Promise<{ program: string; how: string }> {
  const installed = findProgram(places);
  if (installed) return { program: installed, how: `RabbitMQ: ${installed} of this machine` };
  const failure = await aptInstall(rabbitPackage, say);
  const program = findProgram(places);
  if (!failure && program) return { program, how: `RabbitMQ: installed by apt-get (${rabbitPackage})` };
  throw new InfraError(
    `There is no RabbitMQ on this machine, and it cannot be installed: ${failure ?? 'the package holds no server'}.\n` +
      'Install it (https://www.rabbitmq.com/docs/download; on Debian and Ubuntu: apt-get install rabbitmq-server), ' +
      'or Docker, or set AMQP_URL.',
  );
}
