import { auditRecorded, invoiceFeedbackRequested, invoiceLineChanged, invoiceStateChanged } from '@app/contracts';
import type { Broker, Subscription } from '@app/messaging';
import { recordEvents } from '@app/testing';

export type RecordedEvent = { id: string; type: string; data: Record<string, unknown> };

/** The broker, with handlers that record which events they have handled. */
export function recordHandled(broker: Broker, handled: Set<string>): Pick<Broker, 'publish' | 'subscribe'> {
  const noted = ({ eventType, handle }: Subscription): Subscription => ({
    eventType,
    async handle(event) {
      await handle(event);
      handled.add(event.id);
    },
  });
  return {
    publish: (events) => broker.publish(events),
    subscribe: (options) => broker.subscribe({ ...options, table: options.table.map(noted) }),
  };
}

/** What the service publishes from now on. */
export function recordPublished(broker: Broker): Promise<RecordedEvent[]> {
  return recordEvents<RecordedEvent['data']>(broker, [
    invoiceStateChanged,
    invoiceLineChanged,
    invoiceFeedbackRequested,
    auditRecorded,
  ]);
}
