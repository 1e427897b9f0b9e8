import { join } from 'node:path';
import { emptyMongo, emptyRabbit, findMongo, findRabbit, type InfraServer, type Processes, type Say } from '@app/infra';
import type { Output } from './output.ts';
import { partPorts } from './port-plan.ts';

export type StackPart = { name: string; part: InfraServer; again: () => Promise<InfraServer> };

export type StackPartsOptions = { stackDir: string; base: number; processes: Processes; output: Output };

/** Finds or starts MongoDB and RabbitMQ, at the same time, and says how. @throws PartError where one cannot be had */
export async function startStackParts(options: StackPartsOptions): Promise<[StackPart, StackPart]> {
  const { stackDir, base, processes, output } = options;
  const saying =
    (name: string): Say =>
    (line) =>
      output.line(name, line);
  const mongo = () =>
    findMongo({
      dataDir: join(stackDir, 'data', 'mongodb'),
      port: base + partPorts.mongodb,
      processes,
      say: saying('mongodb'),
    });
  const rabbit = () =>
    findRabbit({
      dataDir: join(stackDir, 'data', 'rabbitmq'),
      port: base + partPorts.amqp,
      distributionPort: base + partPorts.distribution,
      epmdPort: base + partPorts.epmd,
      processes,
      say: saying('rabbitmq'),
    });
  const announced = async (name: string, find: () => Promise<InfraServer>): Promise<StackPart> => {
    const part = await find();
    output.say(part.how);
    return { name, part, again: find };
  };
  return Promise.all([announced('mongodb', mongo), announced('rabbitmq', rabbit)]);
}

/** Empties the parts that are ours; they must not run. */
export async function emptyStackParts(stackDir: string): Promise<void> {
  await emptyMongo(join(stackDir, 'data', 'mongodb'));
  await emptyRabbit(join(stackDir, 'data', 'rabbitmq'));
}
