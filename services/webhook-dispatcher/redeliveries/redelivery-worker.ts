import type { Logger } from '@app/runtime';
import { createPoller, type Lease, newLease, type Poller } from '@app/work-queue';
import type { DeliveryLogStore } from '../deliveries/delivery-log-store.ts';
import type { EndpointStore } from '../endpoints/endpoint-store.ts';
import type { Redelivery } from './redelivery.ts';
import type { RedeliveryStore } from './redelivery-store.ts';

type Deps = {
  redeliveries: RedeliveryStore;
  endpoints: Pick<EndpointStore, 'find'>;
  log: Pick<DeliveryLogStore, 'redeliverPage' | 'countDueOf'>;
  dispatcher: { notifyDue(endpointId: string): void };
  logger: Logger;
  now: () => Date;
};

const pollMs = 2_000;
const leaseMs = 60_000;
const pageSize = 500;
/** While an endpoint has this many due deliveries, no more are added: new events would have to wait behind them. */
const maxDue = 2 * pageSize;

/** Works on the jobs of all endpoints in turns, a page at a time. After a crash a page is repeated. */
export function createRedeliveryWorker({ redeliveries, endpoints, log, dispatcher, logger, now }: Deps): Poller {
  async function workOn({ id, companyId, endpointId, ...job }: Redelivery, lease: Lease): Promise<void> {
    const endpoint = await endpoints.find(companyId, endpointId);
    if (!endpoint?.active) return redeliveries.stop(id, lease, now());
    const hasEnoughDue = (await log.countDueOf(endpointId, now(), maxDue)) >= maxDue;
    if (hasEnoughDue) return redeliveries.postpone(id, lease, new Date(now().getTime() + pollMs));
    const page = { filter: job.filter, cursor: job.cursor, limit: pageSize };
    const done = await log.redeliverPage(endpoint, page, { at: now(), unlessSince: job.createdAt });
    if (done.queued > 0) dispatcher.notifyDue(endpointId);
    await redeliveries.save(id, lease, { ...done, at: now() });
  }

  return createPoller({
    async run() {
      const lease = newLease(now(), leaseMs);
      const claimed = await redeliveries.claim(lease);
      if (claimed !== null) await workOn(claimed, lease);
      return claimed !== null;
    },
    everyMs: pollMs,
    onError: (error) => logger.warn('a redelivery failed and will be repeated', { error }),
  });
}
