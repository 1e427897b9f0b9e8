import type { QueueTable } from '@app/contracts';
import { withBroker } from './replace-queues.ts';
import { assertQueues, defaultDelays, names, queuesOf } from './topology.ts';

type Options = { url: string; namespace: string; table: QueueTable };

/** Makes the queues of all services with their bindings, as far as they are missing: users of services may not. */
export function makeQueues({ url, namespace, table }: Options): Promise<void> {
  return withBroker(url, async (model) => {
    for (const [service, queues] of Object.entries(table))
      for (const { queue, types } of queuesOf(namespace, { [service]: queues }))
        await assertQueues(model, { names: names(namespace, service), queue, types, delays: defaultDelays });
  });
}
