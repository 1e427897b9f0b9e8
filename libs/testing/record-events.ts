import type { DomainEvent, EventType } from '@app/contracts';
import { type Broker, connectBroker, on } from '@app/messaging';
import { eachOnce } from './each-once.ts';
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
