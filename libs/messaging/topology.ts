import type { Channel } from 'amqplib';

/** Names on the broker. Every queue has a retry queue, whose messages come back after a delay, and a dead-letter queue. */
export type Names = { exchange: string; queue(name: string): { main: string; retry: string; dead: string } };

/** A message that kills its process comes back this often before the broker puts it aside. */
const deliveryLimit = 10;

export function names(namespace: string, service: string): Names {
  return {
    exchange: `${namespace}domain-events`,
    queue: (name) => {
      const main = `${namespace}${service}.${name}`;
      return { main, retry: `${main}.retry`, dead: `${main}.dead` };
    },
  };
}

export async function assertExchange(channel: Channel, exchange: string): Promise<void> {
  await channel.assertExchange(exchange, 'topic', { durable: true });
}

type Queues = {
  exchange: string;
  queue: ReturnType<Names['queue']>;
  /** The event types that it is bound to. */
  types: string[];
  /** How long a message that failed waits before it comes back. */
  retryDelayMs: number;
};

/**
 * The three queues of a consumer, all quorum queues (design section 2), bound to the event types it handles.
 * Dead-lettering is at-least-once, which needs `reject-publish`: a full queue refuses instead of dropping its oldest.
 */
export async function assertQueues(channel: Channel, { exchange, queue, types, retryDelayMs }: Queues): Promise<void> {
  const deadLettering = (to: string) => ({
    'x-queue-type': 'quorum',
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': to,
  });
  await channel.assertQueue(queue.dead, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.assertQueue(queue.main, {
    durable: true,
    arguments: { ...deadLettering(queue.dead), 'x-delivery-limit': deliveryLimit },
  });
  await channel.assertQueue(queue.retry, {
    durable: true,
    arguments: { ...deadLettering(queue.main), 'x-message-ttl': retryDelayMs },
  });
  for (const type of types) await channel.bindQueue(queue.main, exchange, type);
}

/** Headers by which a consumer and the broker tell what became of a message: of one try, not of the message. */
const ofOneTry = /^x-(again|attempts|reason|failed-at|delivery-count|acquired-count|death$|(first|last)-death-)/;

/** A message's headers as its owner set them. */
export function ownHeaders(headers: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !ofOneTry.test(name)));
}
