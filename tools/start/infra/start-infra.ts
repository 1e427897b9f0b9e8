import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InfraServer, Say } from './infra-server.ts';
import { findMongo } from './mongo/mongo.ts';
import { freePort } from './ports.ts';
import { createProcesses } from './processes/processes.ts';
import { findRabbit } from './rabbit/rabbit.ts';

/** `how` says in a line each where the servers came from. */
type StartedInfra = { mongodbUrl: string; amqpUrl: string; how: string[]; stop(): Promise<void> };

/**
 * MongoDB and RabbitMQ for tests: those of `MONGODB_URL` and `AMQP_URL`, else as the launcher finds
 * them, with their data in `dir` and on free ports (from `portBase` on, if it is given). They end
 * with this process, however it ends.
 * @throws InfraError if one of them is not available; the other is stopped then
 */
export async function startInfra(options: { dir: string; portBase?: number; say: Say }): Promise<StartedInfra> {
  const { dir, portBase, say } = options;
  await mkdir(dir, { recursive: true });
  const processes = createProcesses();
  const [mongodb = 0, amqp = 0, distributionPort = 0, epmdPort = 0] = await somePorts(portBase);
  const starts = await Promise.allSettled([
    findMongo({ dataDir: join(dir, 'mongodb'), port: mongodb, say, processes }),
    findRabbit({ dataDir: join(dir, 'rabbitmq'), port: amqp, distributionPort, epmdPort, say, processes }),
  ]);
  const stop = async () => {
    await Promise.all(starts.map((start) => (start.status === 'fulfilled' ? start.value.process?.stop() : undefined)));
    await processes.close();
  };
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [mongo, rabbit] = starts.map((start) => (start as PromiseFulfilledResult<InfraServer>).value) as [
    InfraServer,
    InfraServer,
  ];
  return { mongodbUrl: mongo.url, amqpUrl: rabbit.url, how: [mongo.how, rabbit.how], stop };
}

async function somePorts(base: number | undefined): Promise<number[]> {
  if (base !== undefined) return [base, base + 1, base + 2, base + 3];
  const ports = new Set<number>();
  while (ports.size < 4) ports.add(await freePort());
  return [...ports];
}
