import { lookup } from 'node:dns/promises';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'amqplib';
import { findDocker, hasImage, removeVolume, runContainer } from '../docker.ts';
import { InfraError, type InfraOptions, type InfraServer, waitUntilReady } from '../infra-server.ts';
import type { RunningProcess } from '../processes/processes.ts';
import { lastLines } from '../processes/run.ts';
import { images } from '../versions.ts';
import { findRabbitPrograms } from './rabbit-install.ts';
import { diskFreeLimitBytes, quorumTickArguments, startRabbitNode } from './rabbit-node.ts';

export type RabbitOptions = InfraOptions & {
  /** Of Erlang's distribution and of the node's own epmd: nothing is shared with another broker of the machine. */
  distributionPort: number;
  epmdPort: number;
};

const readyTimeoutMs = 120_000;

/**
 * A real RabbitMQ, the first of: `AMQP_URL`, a Docker engine, `rabbitmq-server` on the machine, the packages of Debian or Ubuntu,
 * unpacked in the user's cache.
 * @throws InfraError saying what to install, or why it does not start
 */
export async function findRabbit(options: RabbitOptions): Promise<InfraServer> {
  const given = process.env['AMQP_URL'];
  if (given) {
    const failure = await waitUntilReady({ ready: () => tryConnection(given), timeoutMs: 5_000 });
    if (failure) throw new InfraError(`The RabbitMQ of AMQP_URL cannot be used: ${failure}`);
    return { url: given, how: 'RabbitMQ: the one of AMQP_URL' };
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const docker = await findDocker();
  if (docker && (await hasImage(docker, images.rabbitmq, options))) {
    const how = `RabbitMQ: Docker, image ${images.rabbitmq}`;
    return { ...(await ready(await inDocker(docker, options), options)), how };
  }
  await checkLocalhost();
  const programs = await findRabbitPrograms(options);
  return { ...(await ready(await startRabbitNode(programs, options), options)), how: programs.how };
}

/** Erlang looks the node up by this name, and ends with a dump where nothing knows it. */
async function checkLocalhost(): Promise<void> {
  const failure = await lookup('localhost').then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (failure)
    throw new InfraError(
      `RabbitMQ cannot run where the name localhost is unknown (${failure}): add the line "127.0.0.1 localhost" to /etc/hosts.`,
    );
}

/** Empties the data of a RabbitMQ that we run; it must be stopped. */
export async function emptyRabbit(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
  await removeVolume('rabbitmq', dataDir);
}

function inDocker(docker: string, options: RabbitOptions): Promise<RunningProcess> {
  const erlang = `+sbwt none +sbwtdcpu none +sbwtdio none -rabbit disk_free_limit ${diskFreeLimitBytes} ${quorumTickArguments}`;
  return runContainer(
    docker,
    {
      image: images.rabbitmq,
      server: 'rabbitmq',
      port: 5672,
      data: '/var/lib/rabbitmq',
      // The data belongs to the node's name, which is the host's: it must be the same at every start.
      settings: ['--hostname', 'platform', '--env', `RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=${erlang}`],
      args: [],
    },
    options,
  );
}

async function ready(process: RunningProcess, options: RabbitOptions): Promise<Omit<InfraServer, 'how'>> {
  const url = `amqp://127.0.0.1:${options.port}`;
  const failure = await waitUntilReady({ ready: () => tryConnection(url), process, timeoutMs: readyTimeoutMs });
  if (!failure) return { url, process };
  await process.stop();
  const log = await readFile(`${options.dataDir}.log`, 'utf8').catch(() => '');
  throw new InfraError(
    `RabbitMQ does not start: ${failure}.\n${lastLines(log, 8)}\nIts log is ${options.dataDir}.log.`,
  );
}

/** One attempt to connect over AMQP, as a client with these credentials. @throws Error until the broker accepts it */
export async function tryConnection(url: string): Promise<void> {
  const connection = await connect(url, { timeout: 2_000 });
  connection.on('error', () => {});
  await connection.close();
}
