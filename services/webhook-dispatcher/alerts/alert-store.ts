import { subscribableEvents } from '@app/contracts';
import { newId } from '@app/kernel';
import { isDuplicateKey, modelOf } from '@app/runtime';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Attempt } from '../attempt.ts';
import { type DeliveryCollection, deliveryCollection } from '../deliveries/delivery-store.ts';
import { healthIssue } from '../endpoints/endpoint-health.ts';
import { type EndpointRecord, endpointCollection } from '../endpoints/endpoint-store.ts';
import { type AlertedEndpoint, alertRetryAt, isExpired } from './alert.ts';

/** An attempt that suggests that its endpoint is failing; `createdAt` is of its delivery. */
export type EndpointFailure = { endpointId: string; createdAt: Date; attempt: Attempt };

/** Which endpoints are failing, and which companies are due for an alert. */
export type AlertStore = ReturnType<typeof createAlertStore>;

type Options = {
  /** A company gets one e-mail in this time; longer than sending one may take. */
  everyMs: number;
  now: () => Date;
};

/** When a company may get its next e-mail. */
type ThrottleRecord = { _id: string; notBefore: Date };

const throttleSchema = new Schema<ThrottleRecord>(
  { _id: { type: String, required: true }, notBefore: { type: Date, required: true } },
  { versionKey: false, collection: 'alert_throttles' },
);
throttleSchema.index({ notBefore: 1 }, { expireAfterSeconds: 24 * 3600, name: 'kept1Day' });

export function createAlertStore(connection: Connection, { everyMs, now }: Options) {
  const endpoints = endpointCollection(connection);
  const deliveries = deliveryCollection(connection);
  const throttles = modelOf(connection, 'AlertThrottle', throttleSchema);

  return {
    /**
     * Marks those endpoints as failing that received no delivery as new as the failing one, with an
     * alert in the same write. An endpoint with a health issue stays as it is.
     */
    async markFailing(failures: EndpointFailure[]): Promise<void> {
      const byEndpoint = new Map(failures.map((failure) => [failure.endpointId, failure]));
      for (const failure of byEndpoint.values()) {
        const at = now();
        if (await hasSucceeded(deliveries, failure)) continue;
        const issue = healthIssue('failing', at, failure.attempt);
        const alert = { id: newId(at), at, dueAt: at, tries: 0 };
        const healthy = {
          _id: failure.endpointId,
          active: true,
          healthIssue: { $exists: false },
          companyClosed: { $ne: true },
        };
        await endpoints.updateOne(healthy, { $set: { healthIssue: issue, alert } });
      }
    },
    /**
     * Takes all due alerts of one company. Nobody else gets them until `markSent` or `reschedule`, at
     * most for `everyMs`. Null if none is due.
     */
    async claim(at: Date): Promise<AlertedEndpoint[] | null> {
      const due = { 'alert.dueAt': { $lte: at } };
      for (;;) {
        const found = await endpoints.findOne(due, { sort: { 'alert.dueAt': 1 }, projection: { companyId: 1 } });
        if (!found) return null;
        const { companyId } = found;
        const notBefore = await throttle(throttles, companyId, { at, everyMs });
        if (notBefore === null) return (await endpoints.find({ companyId, ...due }).toArray()).flatMap(toAlerted);
        await endpoints.updateMany({ companyId, ...due }, { $set: { 'alert.dueAt': notBefore } });
      }
    },
    async markSent(sent: AlertedEndpoint[]): Promise<void> {
      for (const { id, alert } of sent) {
        // An alert that was raised meanwhile has another id, and stays.
        await endpoints.updateOne({ _id: id, 'alert.id': alert.id }, { $unset: { alert: 1 } });
      }
    },
    /**
     * Postpones alerts that could not be sent to their next try. Removes those that expire before it,
     * and returns them.
     */
    async reschedule(unsent: AlertedEndpoint[], at: Date): Promise<AlertedEndpoint[]> {
      for (const { id, alert } of unsent) {
        const dueAt = alertRetryAt(alert, at);
        const later = dueAt
          ? { $set: { 'alert.dueAt': dueAt }, $inc: { 'alert.tries': 1 } }
          : { $unset: { alert: 1 as const } };
        await endpoints.updateOne({ _id: id, 'alert.id': alert.id }, later);
      }
      const [first] = unsent;
      if (first) await throttles.updateOne({ _id: first.companyId }, { $set: { notBefore: at } });
      return unsent.filter(({ alert }) => isExpired(alert, at) || alertRetryAt(alert, at) === null);
    },
  };
}

async function hasSucceeded(deliveries: DeliveryCollection, failure: EndpointFailure): Promise<boolean> {
  const { endpointId, createdAt } = failure;
  const succeeded = { endpointId, status: 'succeeded' as const, createdAt: { $gte: createdAt } };
  const events = { event: { $in: [...subscribableEvents] } };
  return (await deliveries.findOne({ ...succeeded, ...events }, { projection: { _id: 1 } })) !== null;
}

/** Reserves the company's next e-mail: null for success, else the time from which it may get one. */
async function throttle(
  throttles: Model<ThrottleRecord>,
  companyId: string,
  { at, everyMs }: { at: Date; everyMs: number },
): Promise<Date | null> {
  const notBefore = new Date(at.getTime() + everyMs);
  try {
    await throttles.updateOne({ _id: companyId, notBefore: { $lte: at } }, { $set: { notBefore } }, { upsert: true });
    return null;
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
    return (await throttles.findById(companyId).lean())?.notBefore ?? notBefore;
  }
}

function toAlerted({ _id: id, companyId, name, url, healthIssue: issue, alert }: EndpointRecord): AlertedEndpoint[] {
  return issue && alert ? [{ id, companyId, name, url, healthIssue: issue, alert }] : [];
}
