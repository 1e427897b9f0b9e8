import { subscribableEvents } from '@app/contracts';
import { toCloudEvents } from '@app/messaging';
import type { Connection } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import { type DeliveryCollection, deliveryCollection } from '../deliveries/delivery-store.ts';
import { endpointFails, healthIssue } from '../endpoints/endpoint-health.ts';
import { endpointCollection, toEndpoint } from '../endpoints/endpoint-store.ts';

/** An attempt that suggests that its endpoint is failing; `createdAt` is of its delivery. */
export type EndpointFailure = { endpointId: string; createdAt: Date; attempt: Attempt };

/** Which endpoints are failing. */
export type FailingEndpoints = ReturnType<typeof createFailingEndpoints>;

export function createFailingEndpoints(connection: Connection, { now }: { now: () => Date }) {
  const endpoints = endpointCollection(connection);
  const deliveries = deliveryCollection(connection);
  return {
    /**
     * Marks those endpoints as failing that received no delivery as new as the failing one, and tells the company's users in the same
     * write. An endpoint with a health issue stays as it is.
     */
    async mark(failures: EndpointFailure[]): Promise<void> {
      const byEndpoint = new Map(failures.map((failure) => [failure.endpointId, failure]));
      for (const failure of byEndpoint.values()) {
        if (await hasSucceeded(deliveries, failure)) continue;
        const healthy = {
          _id: failure.endpointId,
          active: true,
          healthIssue: { $exists: false },
          companyClosed: { $ne: true },
        };
        const found = await endpoints.findOne(healthy);
        if (!found) continue;
        const issue = healthIssue('failing', now(), failure.attempt);
        const outbox = toCloudEvents('webhook-dispatcher', [endpointFails(toEndpoint(found), issue)]);
        await endpoints.updateOne(healthy, { $set: { healthIssue: issue }, $push: { outbox: { $each: outbox } } });
      }
    },
  };
}

async function hasSucceeded(deliveries: DeliveryCollection, failure: EndpointFailure): Promise<boolean> {
  const { endpointId, createdAt } = failure;
  const succeeded = { endpointId, status: 'succeeded' as const, createdAt: { $gte: createdAt } };
  const events = { event: { $in: [...subscribableEvents] } };
  return (await deliveries.findOne({ ...succeeded, ...events }, { projection: { _id: 1 } })) !== null;
}
