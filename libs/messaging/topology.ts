import type { QueueTable } from '@app/contracts';
import type { Channel, ChannelModel } from 'amqplib';

/**
 * Names on the broker. Every queue has two in which messages wait before they come back: those that failed, and those that
 * this version does not know; and a dead-letter queue.
 */
export type QueueNames = { main: string; retry: string; unknown: string; dead: string };
export type Names = { exchange: string; queue(name: string): QueueNames };

/** A message that kills its process comes back this often before the broker puts it aside. */
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

/** How long a message waits before it comes back; fixed when its queue is first made. */
export type Delays = { retryDelayMs: number; unknownDelayMs: number };

type Queues = {
  exchange: string;
  queue: QueueNames;
  /** The event types that it is bound to. */
  types: readonly string[];
  delays: Delays;
};

const durable = (args: Record<string, unknown>) => ({
  durable: true,
  arguments: { 'x-queue-type': 'quorum', ...args },
});

/** Dead-lettering is at-least-once, which needs `reject-publish`: a full queue refuses instead of dropping its oldest. */
const deadLettering = (to: string) => ({
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': to,
});

/** The queues of a consumer, all of them quorum queues, bound to the event types that it handles. */
export async function assertQueues(model: ChannelModel, { exchange, queue, types, delays }: Queues): Promise<void> {
  const isLimited = majorVersion(model) >= 4;
  if (isLimited) await liftLimit(model, queue.dead);
  await onChannel(model, async (channel) => {
    await assertExchange(channel, exchange);
    if (!isLimited) await channel.assertQueue(queue.dead, durable({}));
    await assertMain(channel, { exchange, queue, types });
    const waiting = (ttlMs: number) => durable({ ...deadLettering(queue.main), 'x-message-ttl': ttlMs });
    await channel.assertQueue(queue.retry, waiting(delays.retryDelayMs));
    await channel.assertQueue(queue.unknown, waiting(delays.unknownDelayMs));
  });
}

/** What must be there for events not to be lost: the queue that they go to. */
async function assertMain(channel: Channel, { exchange, queue, types }: Omit<Queues, 'delays'>): Promise<void> {
  const args = { ...deadLettering(queue.dead), 'x-delivery-limit': deliveryLimit };
  await channel.assertQueue(queue.main, durable(args));
  for (const type of types) await channel.bindQueue(queue.main, exchange, type);
}

/** The queues of other services, as far as events must not be lost before these have ever run. */
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
 * A dead-letter queue keeps a message however often it was looked at. RabbitMQ 4 drops what came back 20 times unless that is
 * said; before 4 there was no such limit, nor a way to say so. One that an earlier version made stays as it is, since
 * arguments of a queue can't be changed: for such a queue there is a policy (docs/decisions.md).
 */
async function liftLimit(model: ChannelModel, queue: string): Promise<void> {
  try {
    await onChannel(model, (channel) => channel.assertQueue(queue, durable({ 'x-delivery-limit': -1 })));
  } catch (error) {
    if ((error as { code?: unknown }).code !== differentArguments) throw error;
  }
}

function majorVersion({ connection }: ChannelModel): number {
  return Number.parseInt(connection.serverProperties.version, 10);
}

/** On a channel of its own: the broker closes that of whatever it refuses. */
export async function onChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await model.createChannel();
  // What goes wrong rejects the call under way as well.
  channel.on('error', () => undefined);
  try {
    return await work(channel);
  } finally {
    await channel.close().catch(() => undefined);
  }
}

/** Headers by which a consumer and the broker tell what became of a message: of one try, not of the message. */
const ofOneTry =
  /^x-(again|attempts|unknown-rounds|reason|failed-at|delivery-count|acquired-count|death$|(first|last)-death-)/;

/** A message's headers as its owner set them. */
export function ownHeaders(headers: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !ofOneTry.test(name)));
}
