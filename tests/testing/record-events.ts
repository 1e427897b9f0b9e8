import type { DomainEvent, EventType } from '@app/contracts';
import { type Broker, connectBroker, on } from '@app/messaging';
import { testInfra, testLogger } from './infra.ts';

/**
 * The events of these types that are published from now on: each once, in the order of their arrival. Recorders of one namespace
 * need different queues.
 */
export async function recordEvents<Data = unknown>(
  broker: Pick<Broker, 'subscribe'>,
  types: readonly { type: string }[],
  queue = 'recorder',
): Promise<DomainEvent<Data>[]> {
  const events: DomainEvent<Data>[] = [];
  const record = eachOnce((event: DomainEvent<Data>) => events.push(event));
  await broker.subscribe({ queue, table: types.map((type) => on(type as EventType<Data>, record)) });
  return events;
}

/** A connection beside those of the tested service, in the name of another. */
export function testBroker(namespace: string): Promise<Broker> {
  return connectBroker({ url: testInfra().amqpUrl, namespace, service: 'test', logger: testLogger() });
}

/**
 * A handler that takes each event once, by its id, as every consumer does: if a confirmation comes
 * late, as on a busy machine, the relay publishes an event a second time, and that is no second
 * event.
 */
export function eachOnce<Event extends { id: string }>(
  take: (event: Event) => unknown,
): (event: Event) => Promise<void> {
  const known = new Set<string>();
  return async (event) => {
    if (!known.has(event.id)) take(event);
    known.add(event.id);
  };
}
