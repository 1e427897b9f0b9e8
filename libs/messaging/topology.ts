import type { QueueTable } from '@app/contracts';
import type { Channel, ChannelModel } from 'amqplib';

/**
 * The names of a queue and its companions: `retry` and `unknown`, in which failed messages and those of unknown types wait
 * before they come back, and the dead-letter queue.
 */
export type QueueNames = { main: string; retry: string; unknown: string; dead: string };
export type Names = { exchange: string; queue(name: string): QueueNames };

/** How often the broker redelivers a message that ends its process before it dead-letters it. */
const deliveryLimit = 10;

export function names(namespace: string, service: string): Names {
  return {
    exchange: `${namespace}domain-events`,
    queue: (name) => {
      const main = `${namespace}${service}.${name}`;
      return { main, retry: `${main}.retry`, unknown: `${main}.unknown`, dead: `${main}.dead` };
    },
  };
}

export async function assertExchange(channel: Channel, exchange: string): Promise<void> {
  await channel.assertExchange(exchange, 'topic', { durable: true });
}

/** How long a message waits before it comes back. Fixed once the queue exists. */
export type Delays = { retryDelayMs: number; unknownDelayMs: number };

type Queues = {
  exchange: string;
  queue: QueueNames;
  /** The event types that the queue is bound to. */
  types: readonly string[];
  delays: Delays;
};

const durable = (args: Record<string, unknown>) => ({
  durable: true,
  arguments: { 'x-queue-type': 'quorum', ...args },
});

/** At-least-once dead-lettering requires `reject-publish`: a full queue refuses messages rather than dropping its oldest. */
const deadLettering = (to: string) => ({
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': to,
});

/** Creates the queues of a consumer, all quorum queues, and binds the main one to its event types. */
export async function assertQueues(model: ChannelModel, { exchange, queue, types, delays }: Queues): Promise<void> {
  const isLimited = majorVersion(model) >= 4;
  if (isLimited) await assertUnlimited(model, queue.dead);
  await onChannel(model, async (channel) => {
    await assertExchange(channel, exchange);
    if (!isLimited) await channel.assertQueue(queue.dead, durable({}));
    await assertMain(channel, { exchange, queue, types });
    const waiting = (ttlMs: number) => durable({ ...deadLettering(queue.main), 'x-message-ttl': ttlMs });
    await channel.assertQueue(queue.retry, waiting(delays.retryDelayMs));
    await channel.assertQueue(queue.unknown, waiting(delays.unknownDelayMs));
  });
}

/** Creates the main queue: without it, events are lost. */
async function assertMain(channel: Channel, { exchange, queue, types }: Omit<Queues, 'delays'>): Promise<void> {
  const args = { ...deadLettering(queue.dead), 'x-delivery-limit': deliveryLimit };
  await channel.assertQueue(queue.main, durable(args));
  for (const type of types) await channel.bindQueue(queue.main, exchange, type);
}

/** Creates the main queues of all services, so that no event is lost before its consumer has ever run. */
export async function assertPlatform(model: ChannelModel, namespace: string, table: QueueTable): Promise<void> {
  await onChannel(model, async (channel) => {
    await assertExchange(channel, names(namespace, '').exchange);
    for (const [service, queues] of Object.entries(table)) {
      const { exchange, queue } = names(namespace, service);
      for (const [name, types] of Object.entries(queues))
        await assertMain(channel, { exchange, queue: queue(name), types: types.map(({ type }) => type) });
    }
  });
}

const differentArguments = 406;

/**
 * Creates a dead-letter queue without delivery limit. RabbitMQ 4 drops a message after 20 deliveries by default; earlier versions
 * have no limit and refuse the argument. A queue that exists with other arguments is left as it is, since arguments cannot be
 * changed: it needs a policy.
 */
async function assertUnlimited(model: ChannelModel, queue: string): Promise<void> {
  try {
    await onChannel(model, (channel) => channel.assertQueue(queue, durable({ 'x-delivery-limit': -1 })));
  } catch (error) {
    if ((error as { code?: unknown }).code !== differentArguments) throw error;
  }
}

function majorVersion({ connection }: ChannelModel): number {
  return Number.parseInt(connection.serverProperties.version, 10);
}

/** Runs `work` on a channel of its own, since the broker closes the channel of a command that it refuses. */
export async function onChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await model.createChannel();
  // Errors also reject the pending call.
  channel.on('error', () => undefined);
  try {
    return await work(channel);
  } finally {
    await channel.close().catch(() => undefined);
  }
}

/** Headers that describe a delivery attempt, set by consumers and by the broker. */
const attemptHeaders =
  /^x-(again|attempts|unknown-rounds|reason|failed-at|delivery-count|acquired-count|death$|(first|last)-death-)/;

/** A message's headers as its publisher set them. */
export function ownHeaders(headers: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !attemptHeaders.test(name)));
}
