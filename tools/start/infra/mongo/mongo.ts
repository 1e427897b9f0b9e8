import { mkdir, readFile, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { findDocker, hasImage, removeVolume, runContainer } from '../docker.ts';
import { cacheDirectory, InfraError, type InfraOptions, type InfraServer, waitUntilReady } from '../infra-server.ts';
import type { RunningProcess } from '../processes/processes.ts';
import { findProgram, lastLines } from '../processes/run.ts';
import { images } from '../versions.ts';
import { findMongod } from './mongod.ts';
import { checkReplicaSet, ensureReplicaSet } from './replica-set.ts';

const readyTimeoutMs = 90_000;

/**
 * A real MongoDB that is a replica set, the first of: `MONGODB_URL`, a Docker engine, `mongod` on the machine, a
 * download. Starting again on the same folder finds the same data, whatever port it had before.
 * @throws InfraError saying what to install, or why it does not start
 */
export async function findMongo(options: InfraOptions): Promise<InfraServer> {
  const given = process.env['MONGODB_URL'];
  if (given) {
    const failure = await waitUntilReady({ ready: () => checkReplicaSet(given), timeoutMs: 5_000 });
    if (failure) throw new InfraError(`The MongoDB of MONGODB_URL cannot be used: ${failure}`);
    return { url: given, how: 'MongoDB: the one of MONGODB_URL' };
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const docker = await findDocker();
  if (docker && (await hasImage(docker, images.mongodb, options))) return inDocker(docker, options);
  const installed = findProgram(['mongod', '/usr/local/bin/mongod', '/usr/bin/mongod', '/opt/homebrew/bin/mongod']);
  if (installed) return onMachine({ program: installed, how: `MongoDB: ${installed} of this machine` }, options);
  return onMachine(await findMongod(cacheDirectory(), options), options);
}

/** Empties the data of a MongoDB that we run; it must be stopped. */
export async function emptyMongo(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
  await removeVolume('mongodb', dataDir);
}

async function inDocker(docker: string, options: InfraOptions): Promise<InfraServer> {
  const args = ['--replSet', 'rs0', '--bind_ip_all', '--oplogSize', '1024', ...cache()];
  const container = { image: images.mongodb, server: 'mongodb', port: 27017, data: '/data/db', settings: [], args };
  const running = await runContainer(docker, container, options);
  return { ...(await ready(running, options, 'localhost:27017')), how: `MongoDB: Docker, image ${images.mongodb}` };
}

async function onMachine(found: { program: string; how: string }, options: InfraOptions): Promise<InfraServer> {
  const network = ['--bind_ip', '127.0.0.1', '--port', String(options.port), '--nounixsocket'];
  const storage = ['--dbpath', options.dataDir, '--oplogSize', '1024', ...cache()];
  const running = options.processes.start({
    program: found.program,
    args: ['--replSet', 'rs0', ...network, ...storage, '--setParameter', 'diagnosticDataCollectionEnabled=false'],
    env: process.env,
    rank: 2,
    graceMs: 20_000,
    output: { file: logOf(options) },
  });
  return { ...(await ready(running, options, `127.0.0.1:${options.port}`)), how: found.how };
}

/**
 * A quarter of the machine's memory, 1 to 4 GB. MongoDB's default is half of it, but the whole
 * platform runs on this machine too.
 */
function cache(): string[] {
  const gigabytes = Math.min(4, Math.max(1, totalmem() / 2 ** 30 / 4));
  return ['--wiredTigerCacheSizeGB', gigabytes.toFixed(2)];
}

/** @param member the address by which the only member of the set knows itself */
async function ready(
  process: RunningProcess,
  options: InfraOptions,
  member: string,
): Promise<Omit<InfraServer, 'how'>> {
  // Direct: the only member may know itself by another address than ours (in a container, after a change of port).
  const url = `mongodb://127.0.0.1:${options.port}/?replicaSet=rs0&directConnection=true`;
  const failure = await waitUntilReady({
    ready: () => ensureReplicaSet(url, member),
    process,
    timeoutMs: readyTimeoutMs,
  });
  if (!failure) return { url, process };
  await process.stop();
  const log = await readFile(logOf(options), 'utf8').catch(() => '');
  throw new InfraError(
    `MongoDB does not start: ${failure}.\n${lastLines(log)}\nIts log is ${logOf(options)}. Where its data was written by ` +
      'another version of MongoDB, --fresh starts from empty data.',
  );
}

function logOf(options: InfraOptions): string {
  return join(options.dataDir, '..', 'mongodb.log');
}
