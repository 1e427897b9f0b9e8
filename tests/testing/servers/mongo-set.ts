import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes, RunningProcess } from '@app/start/infra';
import { type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { cacheDirectory, type Say, waitUntilReady } from '../../../tools/start/infra/infra-server.ts';
import { findMongod } from '../../../tools/start/infra/mongo/mongod.ts';
import { findProgram } from '../../../tools/start/infra/processes/run.ts';

/** A replica set of several members on this machine, each of which can be stopped, killed and started again. */
export type MongoSet = Awaited<ReturnType<typeof startMongoSet>>;

type MongoSetOptions = {
  dir: string;
  /** Where each member listens. */
  ports: number[];
  /** The address by which everybody, the others included, reaches each member: perhaps a proxy before its port. */
  hosts: string[];
  processes: Processes;
  say: Say;
  /** More arguments of each `mongod`, and how to connect to it then. */
  memberArguments?: string[];
  clientOptions?: MongoClientOptions;
};

const readyTimeoutMs = 300_000;
const name = 'rs0';

/**
 * Starts a replica set whose members allow fail points (`configureFailPoint`): they simulate
 * failures that could otherwise not be timed.
 * @throws InfraError if there is no mongod, Error if the set does not elect a primary
 */
export async function startMongoSet(options: MongoSetOptions) {
  const { dir, ports, hosts, processes, say, memberArguments = [], clientOptions = {} } = options;
  const onMember = (port: number, command: Document, database = 'admin') =>
    runOnMember({ port, database, command, options: clientOptions });
  const installed = findProgram(['mongod', '/usr/local/bin/mongod', '/usr/bin/mongod', '/opt/homebrew/bin/mongod']);
  const program = installed ?? (await findMongod(cacheDirectory(), { processes, say })).program;
  const running: RunningProcess[] = [];
  for (const index of ports.keys()) await mkdir(join(dir, `mongo-${index + 1}`), { recursive: true, mode: 0o700 });

  const set = {
    size: ports.length,
    /** @throws Error while the member does not run */
    process: (index: number): RunningProcess => running[index] as RunningProcess,
    /** Starts a member that has ended, on its data. */
    start(index: number): void {
      running[index] = processes.start({
        program,
        args: [...argumentsOf(join(dir, `mongo-${index + 1}`), ports[index] as number), ...memberArguments],
        env: process.env,
        rank: 2,
        graceMs: 20_000,
        output: { file: join(dir, `mongo-${index + 1}.log`) },
      });
    },
    /** Runs a command on one member, whatever its state. */
    command: (index: number, command: Document, database = 'admin'): Promise<Document> =>
      onMember(ports[index] as number, command, database),
    /** The index of the primary. @throws Error while there is none */
    async primary(): Promise<number> {
      const isPrimary = async (port: number, index: number) => {
        if (!(await onMember(port, { hello: 1 }))['isWritablePrimary']) throw new Error('this member is none');
        return index;
      };
      return Promise.any(ports.map(isPrimary)).catch((cause) => {
        throw new Error('the replica set has no primary', { cause });
      });
    },
    /** Waits until every member is primary or secondary. @throws Error if that takes longer */
    waitUntilWhole: (timeoutMs: number = readyTimeoutMs): Promise<void> =>
      untilReady(async () => {
        const hellos = await Promise.all(ports.map((port) => onMember(port, { hello: 1 })));
        const states = hellos.map((hello) =>
          hello['isWritablePrimary'] ? 'primary' : hello['secondary'] && 'secondary',
        );
        if (!states.every(Boolean) || !states.includes('primary')) throw new Error('the replica set is not whole');
      }, timeoutMs),
  };

  for (const index of ports.keys()) set.start(index);
  const members = hosts.map((host, index) => ({ _id: index, host }));
  await untilReady(() => Promise.all(ports.map((port) => onMember(port, { ping: 1 }))), readyTimeoutMs);
  await set.command(0, { replSetInitiate: { _id: name, members } });
  await set.waitUntilWhole();
  return set;
}

function argumentsOf(dataDir: string, port: number): string[] {
  const network = ['--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'];
  const storage = ['--dbpath', dataDir, '--oplogSize', '128', '--wiredTigerCacheSizeGB', '0.25'];
  const parameters = ['diagnosticDataCollectionEnabled=false', 'enableTestCommands=1'];
  return ['--replSet', name, ...network, ...storage, ...parameters.flatMap((one) => ['--setParameter', one])];
}

async function untilReady(ready: () => Promise<unknown>, timeoutMs: number): Promise<void> {
  const failure = await waitUntilReady({ ready, timeoutMs });
  if (failure) throw new Error(`MongoDB: ${failure}`);
}

type OnMember = { port: number; database: string; command: Document; options: MongoClientOptions };

async function runOnMember({ port, database, command, options }: OnMember): Promise<Document> {
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: 10_000,
    connectTimeoutMS: 10_000,
    socketTimeoutMS: 10_000,
    ...options,
  });
  try {
    return await client.db(database).command(command);
  } finally {
    await client.close();
  }
}
