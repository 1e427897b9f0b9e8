import { newId } from '@app/kernel';
import { findManyRaw } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Attempt } from './delivery.ts';
import { disableAfter, disabledReason, type Endpoint } from './endpoint.ts';
import { type EndpointRecord, endpointsOf, type Session, toTarget, untroubled } from './endpoint-store.ts';
import { troubleOf } from './health.ts';

/** How many deliveries of an endpoint were exhausted in a row, and what ends that. */
export type FailureStore = {
  /** Counts an exhausted delivery; gives the endpoint where that disabled it, of which its company is then to be told. */
  countExhausted(id: string, failure: { at: Date; attempt: Attempt }, session: Session): Promise<Endpoint | null>;
  /** Something has arrived: the row of failures has ended. */
  resetFailures(ids: string[]): Promise<void>;
  /** Something has arrived, and is stored: the spell of failing has ended. */
  endSpells(ids: string[]): Promise<void>;
};

export function createFailureStore(connection: Connection): FailureStore {
  const collection = endpointsOf(connection);

  /** Asked first: as a rule it is none of them, and an update that changes nothing waits for the disk all the same. */
  async function those(ids: string[], filter: object) {
    const asked = { _id: { $in: [...new Set(ids)] }, ...filter };
    const found = await findManyRaw<EndpointRecord>(collection as never, { filter: asked });
    return found.length === 0 ? null : { _id: { $in: found.map(({ _id }) => _id) } };
  }

  return {
    async countExhausted(id, { at, attempt }, session) {
      const trouble = { $literal: troubleOf('disabled', at, attempt) };
      const notice = { $literal: { id: newId(at), at, dueAt: at, tries: 0 } };
      const failures = { $add: ['$consecutiveFailures', 1] };
      const disabled = { $gte: ['$consecutiveFailures', disableAfter] };
      const after = await collection.findOneAndUpdate(
        { _id: id, active: true },
        [
          { $set: { consecutiveFailures: failures } },
          {
            $set: {
              active: { $not: [disabled] },
              disabledReason: { $cond: [disabled, disabledReason, '$disabledReason'] },
              updatedAt: { $cond: [disabled, at, '$updatedAt'] },
              trouble: { $cond: [disabled, trouble, '$trouble'] },
              notice: { $cond: [disabled, notice, '$notice'] },
            },
          },
        ],
        { session, returnDocument: 'after' },
      );
      return after?.active === false ? toTarget(after) : null;
    },
    async resetFailures(ids) {
      const counting = { consecutiveFailures: { $gt: 0 } };
      const found = await those(ids, counting);
      if (found) await collection.updateMany({ ...found, ...counting }, { $set: { consecutiveFailures: 0 } });
    },
    async endSpells(ids) {
      const failing = { 'trouble.status': 'failing' };
      const found = await those(ids, failing);
      if (found) await collection.updateMany({ ...found, ...failing }, untroubled);
    },
  };
}
