import type { QueueTable } from '@app/contracts';
import { queueCounts, withBroker } from './replace-queues.ts';
import { names } from './topology.ts';

/** `messages`: ready ones and those that wait for a retry, without those being handled. */
type QueueStats = { service: string; queue: string; types: string[]; messages: number; consumers: number };

/** The present state of these queues; a queue that does not exist counts as empty, without consumers. */
export function queueStats(options: { url: string; namespace: string; table: QueueTable }): Promise<QueueStats[]> {
  const { url, namespace, table } = options;
  const queues = Object.entries(table).flatMap(([service, purposes]) =>
    Object.entries(purposes).map(([purpose, types]) => ({ service, purpose, types: types.map(({ type }) => type) })),
  );
  return withBroker(url, (model) =>
    Promise.all(
      queues.map(async ({ service, purpose, types }) => {
        const { main, retry, unknown } = names(namespace, service).queue(purpose);
        const [own, ...waiting] = await Promise.all([main, retry, unknown].map((name) => queueCounts(model, name)));
        const messages = [own, ...waiting].reduce((sum, one) => sum + (one?.messages ?? 0), 0);
        return { service, queue: main, types, messages, consumers: own?.consumers ?? 0 };
      }),
    ),
  );
}
