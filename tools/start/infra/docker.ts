import type { InfraOptions } from './infra-server.ts';
import { folderId } from './infra-server.ts';
import type { RunningProcess } from './processes/processes.ts';
import { findProgram, lastLines, run } from './processes/run.ts';

/** The docker program, if a Docker engine answers it. */
export async function findDocker(): Promise<string | undefined> {
  const docker = findProgram(['docker']);
  if (!docker) return undefined;
  const { ok } = await run(docker, ['version', '--format', '{{.Server.Version}}'], 5_000);
  return ok ? docker : undefined;
}

/**
 * Whether the image is there, pulled first if it is missing. A pull that fails is reported by `say`
 * and gives false.
 */
export async function hasImage(
  docker: string,
  image: string,
  options: Pick<InfraOptions, 'say' | 'isOffline'>,
): Promise<boolean> {
  const { say, isOffline } = options;
  if ((await run(docker, ['image', 'inspect', image])).ok) return true;
  if (isOffline) return false;
  say(`pulling the image ${image} …`);
  const pulled = await run(docker, ['pull', '--quiet', image], 15 * 60_000);
  if (!pulled.ok)
    say(`Docker answers, but ${image} cannot be pulled (${lastLines(pulled.output, 1)}): looking further`);
  return pulled.ok;
}

type Container = {
  image: string;
  /** Short name of the server, `mongodb` or `rabbitmq`; with the folder it names container and volume. */
  server: string;
  /** The port inside, published on `options.port` of 127.0.0.1. */
  port: number;
  /** Where the image keeps its data: a named volume, since a folder would fill with another user's files. */
  data: string;
  settings: string[];
  args: string[];
};

/** Runs a container in the foreground of a process of ours; it is removed when it ends, its volume stays. */
export async function runContainer(
  docker: string,
  container: Container,
  options: InfraOptions,
): Promise<RunningProcess> {
  const name = volumeName(container.server, options.dataDir);
  // Left by a start that was cut off in the wrong moment; it can only be ours, the name holds our folder.
  await run(docker, ['rm', '--force', name]);
  const published = ['--publish', `127.0.0.1:${options.port}:${container.port}`];
  const volume = ['--volume', `${name}:${container.data}`];
  const fixed = ['run', '--rm', '--name', name, ...published, ...volume];
  return options.processes.start({
    program: docker,
    args: [...fixed, ...container.settings, container.image, ...container.args],
    env: process.env,
    rank: 2,
    graceMs: 30_000,
    cleanup: [docker, 'rm', '--force', name],
    output: { file: `${options.dataDir}.log` },
  });
}

/** Removes the volume with the data of a server. */
export async function removeVolume(server: string, dataDir: string): Promise<void> {
  const docker = await findDocker();
  if (docker) await run(docker, ['volume', 'rm', '--force', volumeName(server, dataDir)]);
}

export function volumeName(server: string, dataDir: string): string {
  return `facility-${folderId(dataDir)}-${server}`;
}
