import { toCloudEvents } from '@app/messaging';
import type { Connection } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import { disableAfter, disabledReason, type Endpoint } from './endpoint.ts';
import { endpointFails, healthIssue } from './endpoint-health.ts';
import { clearHealth, type EndpointRecord, endpointCollection, type Session, toEndpoint } from './endpoint-store.ts';

/** How many deliveries of an endpoint were exhausted in a row, and whether it is failing. */
export type EndpointHealthStore = ReturnType<typeof createEndpointHealthStore>;

export function createEndpointHealthStore(connection: Connection) {
  const collection = endpointCollection(connection);

  /**
   * Those of the endpoints that match. Most often none does, and an update that changes nothing
   * would wait for the journal.
   */
  async function findMatching(ids: string[], filter: object): Promise<string[]> {
    const query = { _id: { $in: [...new Set(ids)] }, ...filter };
    const found = await collection.find<Pick<EndpointRecord, '_id'>>(query, { projection: { _id: 1 } }).toArray();
    return found.map(({ _id }) => _id);
  }

  return {
    /** Counts an exhausted delivery. Gives the endpoint if that disabled it, and tells the company's users in the same transaction. */
    async recordExhausted(
      id: string,
      { at, attempt }: { at: Date; attempt: Attempt },
      session: Session,
    ): Promise<Endpoint | null> {
      const issue = healthIssue('disabled', at, attempt);
      const failures = { $add: ['$consecutiveFailures', 1] };
      const disabled = { $gte: ['$consecutiveFailures', disableAfter] };
      const after = await collection.findOneAndUpdate(
        { _id: id, active: true, companyClosed: { $ne: true } },
        [
          { $set: { consecutiveFailures: failures } },
          {
            $set: {
              active: { $not: [disabled] },
              disabledReason: { $cond: [disabled, disabledReason, '$disabledReason'] },
              updatedAt: { $cond: [disabled, at, '$updatedAt'] },
              healthIssue: { $cond: [disabled, { $literal: issue }, '$healthIssue'] },
            },
          },
        ],
        { session, returnDocument: 'after' },
      );
      if (after?.active !== false) return null;
      const endpoint = toEndpoint(after);
      const outbox = toCloudEvents('webhook-dispatcher', [endpointFails(endpoint, issue)]);
      await collection.updateOne({ _id: id }, { $push: { outbox: { $each: outbox } } }, { session });
      return endpoint;
    },
    /** Sets the count of exhausted deliveries to 0, after a success. */
    async resetStreaks(ids: string[]): Promise<void> {
      const counting = { consecutiveFailures: { $gt: 0 } };
      const found = await findMatching(ids, counting);
      if (found.length === 0) return;
      await collection.updateMany({ _id: { $in: found }, ...counting }, { $set: { consecutiveFailures: 0 } });
    },
    /** Ends the failing period, after a success that is stored. */
    async markHealthy(ids: string[]): Promise<void> {
      const failing = { 'healthIssue.status': 'failing' as const };
      const found = await findMatching(ids, failing);
      if (found.length > 0) await collection.updateMany({ _id: { $in: found }, ...failing }, clearHealth);
    },
  };
}
