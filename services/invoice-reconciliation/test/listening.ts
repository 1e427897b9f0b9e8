import {
  type DomainEvent,
  type EventType,
  invoiceFeedbackRequested,
  invoiceLineChanged,
  invoiceStateChanged,
} from '@app/contracts';
import { type Broker, on, type Subscription } from '@app/messaging';
import { eachOnce } from '@app/testing';

export type Heard = { type: string; data: Record<string, unknown> };

/** The broker, with handlers that note which events they have dealt with. */
export function noting(broker: Broker, handled: Set<string>): Pick<Broker, 'publish' | 'subscribe'> {
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

export async function listenTo(broker: Broker, heard: Heard[]): Promise<void> {
  const types = [invoiceStateChanged, invoiceLineChanged, invoiceFeedbackRequested] as unknown as EventType<unknown>[];
  const hear = eachOnce(({ type, data }: DomainEvent<unknown>) => heard.push({ type, data: data as Heard['data'] }));
  await broker.subscribe({ queue: 'probe', table: types.map((type) => on(type, hear)) });
}
