import { platformQueues, type QueueTable } from '@app/contracts';
import { names } from '@app/messaging';
import { connect } from 'amqplib';
import { dropDatabases } from '../infra/index.ts';
import type { ServiceEntry } from '../service-table.ts';

/**
 * Empties a MongoDB and a RabbitMQ that may hold other data: drops only our services' databases, the exchange, and the
 * queues of each consumer (`libs/messaging/queues/topology.ts`).
 * @returns a sentence for each step
 */
export async function emptyGivenInfra(services: ServiceEntry[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const namespace = env['NAMESPACE'] ?? '';
  const emptied: string[] = [];
  if (env['MONGODB_URL']) {
    const databases = services.filter(({ database }) => database).map(({ name }) => namespace + name);
    const all = [...databases, `${namespace}storage`];
    await dropDatabases(env['MONGODB_URL'], all);
    emptied.push(`dropped the databases ${all.join(', ')}`);
  }
  if (env['AMQP_URL']) {
    await deleteTopology(env['AMQP_URL'], namespace, services);
    emptied.push(`deleted the exchange ${namespace}domain-events and its queues`);
  }
  return emptied;
}

async function deleteTopology(url: string, namespace: string, services: ServiceEntry[]): Promise<void> {
  const connection = await connect(url);
  try {
    const channel = await connection.createChannel();
    const queues: QueueTable = platformQueues;
    for (const { name } of services) {
      const { exchange, requeue, queue } = names(namespace, name);
      for (const purpose of Object.keys(queues[name] ?? {}))
        for (const one of Object.values(queue(purpose))) await channel.deleteQueue(one);
      for (const one of [requeue, exchange]) await channel.deleteExchange(one);
    }
  } finally {
    await connection.close();
  }
}
