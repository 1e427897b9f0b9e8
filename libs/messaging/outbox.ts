import { randomUUID } from 'node:crypto';
import type { DomainEvent, NewEvent } from '@app/contracts';
import { currentContext } from '@app/runtime';
import { Schema } from 'mongoose';

/**
 * The outbox stands inside the document whose change the events tell of, so that one single-document write saves both
 * (docs/decisions.md): nothing to publish is ever without its change, nor the reverse.
 */
export type WithOutbox = { outbox?: DomainEvent[] };

/** Gives a schema its outbox and the index by which the sweep finds what is still unsent: as a rule, nothing. */
export function addOutbox(schema: Schema): void {
  schema.add({ outbox: { type: [Schema.Types.Mixed], default: undefined } });
  schema.index({ 'outbox.time': 1 }, { partialFilterExpression: { 'outbox.time': { $exists: true } }, name: 'outbox' });
}

/** Puts what a rule returned into envelopes, with the request and trace being worked on. */
export function toCloudEvents(service: string, events: NewEvent[]): DomainEvent[] {
  const { requestId, traceparent } = currentContext.getStore() ?? {};
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
