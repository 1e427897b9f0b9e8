import {
  auditRecorded,
  type DomainEvent,
  type EventType,
  invoiceFeedbackRequested,
  invoiceLineChanged,
  invoiceStateChanged,
} from '@app/contracts';
import { type Broker, on, type Subscription } from '@app/messaging';
import { eachOnce } from '@app/testing';

export type RecordedEvent = { type: string; data: Record<string, unknown> };

/** The broker, with handlers that record which events they have handled. */
export function recordHandled(broker: Broker, handled: Set<string>): Pick<Broker, 'publish' | 'subscribe'> {
  const noted = ({ eventType, handle }: Subscription): Subscription => ({
    eventType,
    async handle(event, session) {
      await handle(event, session);
      handled.add(event.id);
    },
  });
  return {
    publish: (events) => broker.publish(events),
    subscribe: (options) => broker.subscribe({ ...options, table: options.table.map(noted) }),
  };
}

export async function recordEvents(broker: Broker, recordedEvents: RecordedEvent[]): Promise<void> {
  const changes = [invoiceStateChanged, invoiceLineChanged, invoiceFeedbackRequested];
  const types = [...changes, auditRecorded] as unknown as EventType<unknown>[];
  const record = eachOnce(({ type, data }: DomainEvent<unknown>) =>
    recordedEvents.push({ type, data: data as RecordedEvent['data'] }),
  );
  await broker.subscribe({ queue: 'probe', table: types.map((type) => on(type, record)) });
}
