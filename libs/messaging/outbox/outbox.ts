import { randomUUID } from 'node:crypto';
import type { DomainEvent, NewEvent } from '@app/contracts';
import { currentContext } from '@app/runtime';
import { currentTraceparent } from '@app/runtime/tracing';
import { Schema } from 'mongoose';

/**
 * The outbox is a field of the document whose changes its events describe, so that one single-document write saves both: no event
 * without its change, no change without its event.
 */
export type WithOutbox = { outbox?: DomainEvent[] };

/** A schema, of whatever documents. */
type AnySchema = {
  add(fields: object): unknown;
  index(fields: Record<string, 1>, options: object): unknown;
};

/** Adds the outbox to a schema, and the partial index by which the relay finds unsent events. */
export function addOutbox(schema: AnySchema): void {
  schema.add({ outbox: { type: [Schema.Types.Mixed], default: undefined } });
  schema.index({ 'outbox.time': 1 }, { partialFilterExpression: { 'outbox.time': { $exists: true } }, name: 'outbox' });
}

/** Wraps events in CloudEvents envelopes, with id, source, and the current request id and trace. */
export function toCloudEvents(service: string, events: NewEvent[]): DomainEvent[] {
  const { requestId } = currentContext.getStore() ?? {};
  const traceparent = currentTraceparent();
  return events.map((event) => ({
    specversion: '1.0',
    id: randomUUID(),
    source: `/services/${service}`,
    datacontenttype: 'application/json',
    ...event,
    ...(requestId ? { requestid: requestId } : {}),
    ...(traceparent ? { traceparent } : {}),
  }));
}
