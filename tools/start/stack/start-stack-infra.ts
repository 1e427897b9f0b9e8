import { join } from 'node:path';
import {
  emptyMongo,
  emptyRabbit,
  findMongo,
  findRabbit,
  type InfraServer,
  type Processes,
  type Say,
} from '../infra/index.ts';
import type { Output } from '../output.ts';
import { infraPorts } from '../settings/port-plan.ts';

export type StackInfra = { name: string; server: InfraServer; restart: () => Promise<InfraServer> };

type StackInfraOptions = {
  stackDir: string;
  base: number;
  isOffline: boolean;
  processes: Processes;
  output: Output;
};

/** Finds or starts MongoDB and RabbitMQ in parallel, and logs how. @throws InfraError if one is not available */
export async function startStackInfra(options: StackInfraOptions): Promise<[StackInfra, StackInfra]> {
  const { stackDir, base, isOffline, processes, output } = options;
  const saying =
    (name: string): Say =>
    (line) =>
      output.line(name, line);
  const mongo = () =>
    findMongo({
      dataDir: join(stackDir, 'data', 'mongodb'),
      port: base + infraPorts.mongodb,
      processes,
      isOffline,
      say: saying('mongodb'),
    });
  const rabbit = () =>
    findRabbit({
      dataDir: join(stackDir, 'data', 'rabbitmq'),
      port: base + infraPorts.amqp,
      distributionPort: base + infraPorts.distribution,
      epmdPort: base + infraPorts.epmd,
      processes,
      isOffline,
      say: saying('rabbitmq'),
    });
  const announced = async (name: string, find: () => Promise<InfraServer>): Promise<StackInfra> => {
    const server = await find();
    output.log(server.how);
    return { name, server, restart: find };
  };
  return Promise.all([announced('mongodb', mongo), announced('rabbitmq', rabbit)]);
}

/** Deletes the data of the stack's own MongoDB and RabbitMQ, which must not be running. */
export async function emptyStackInfra(stackDir: string): Promise<void> {
  await emptyMongo(join(stackDir, 'data', 'mongodb'));
  await emptyRabbit(join(stackDir, 'data', 'rabbitmq'));
}
