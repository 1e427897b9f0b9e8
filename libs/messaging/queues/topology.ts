import type { QueueTable } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Channel, ChannelModel, ConfirmChannel, GetMessage } from 'amqplib';

/**
 * The names of a queue and its companions: `retry` and `unknown`, in which failed messages and those of unknown types wait
 * before they come back, and the dead-letter queue.
 */
export type QueueNames = { main: string; retry: string; unknown: string; dead: string };
export type Names = ReturnType<typeof names>;

/** How often the broker redelivers a message that ends its process before it dead-letters it. */
const deliveryLimit = 10;

/** The exchange of a namespace, one for all services, and the queues of this service by their purpose. */
export function names(namespace: string, service: string) {
  return {
    exchange: `${namespace}domain-events`,
    /** By which a service puts failed messages on its own queues: the right to the default exchange would be one to every queue. */
    requeue: `${namespace}${service}.requeue`,
    queue: (name: string): QueueNames => {
      const main = `${namespace}${service}.${name}`;
      return { main, retry: `${main}.retry`, unknown: `${main}.unknown`, dead: `${main}.dead` };
    },
  };
}

/** Makes the exchange if it is missing: whether it is there, any user may ask. */
export async function assertExchange(model: ChannelModel, exchange: string): Promise<void> {
  try {
    await onChannel(model, (channel) => channel.checkExchange(exchange));
  } catch (error) {
    if ((error as { code?: unknown }).code !== missing) throw error;
    await onChannel(model, (channel) => channel.assertExchange(exchange, 'topic', { durable: true }));
  }
}

/** How long a message waits before it comes back. */
export type Delays = { retryDelayMs: number; unknownDelayMs: number };

export const defaultDelays: Delays = { retryDelayMs: 5_000, unknownDelayMs: 60_000 };

type Queues = {
  names: Names;
  queue: QueueNames;
  /** The event types that the queue is bound to. */
  types: readonly string[];
  delays: Delays;
};

/** A queue as this version declares it. */
export type QueueDefinition = { name: string; args: Record<string, unknown> };

/** All are durable quorum queues. */
export function durable(args: Record<string, unknown>) {
  return { durable: true, arguments: { 'x-queue-type': 'quorum', ...args } };
}

/** At-least-once dead-lettering requires `reject-publish`: a full queue refuses messages rather than dropping its oldest. */
const deadLettering = (to: string) => ({
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': to,
});

/** The queues of a consumer with their arguments, in the order in which they are made. */
export function definitionsOf(model: ChannelModel, queue: QueueNames, delays: Delays): QueueDefinition[] {
  const waiting = (ttlMs: number) => ({ ...deadLettering(queue.main), 'x-message-ttl': ttlMs });
  return [
    { name: queue.dead, args: unlimited(model) },
    mainDefinition(queue),
    { name: queue.retry, args: waiting(delays.retryDelayMs) },
    { name: queue.unknown, args: waiting(delays.unknownDelayMs) },
  ];
}

function mainDefinition(queue: QueueNames): QueueDefinition {
  return { name: queue.main, args: { ...deadLettering(queue.dead), 'x-delivery-limit': deliveryLimit } };
}

/** RabbitMQ 4 drops a message after 20 deliveries by default; earlier versions have no limit and refuse the argument. */
export function unlimited(model: ChannelModel): Record<string, unknown> {
  return majorVersion(model) >= 4 ? { 'x-delivery-limit': -1 } : {};
}

/**
 * Creates the queues of a consumer, binds the main one to its event types, and the others to the exchange by which it requeues.
 * @returns the names of those that exist with other arguments
 */
export async function assertQueues(
  model: ChannelModel,
  { names: of, queue, types, delays }: Queues,
): Promise<string[]> {
  return declareOrCheck(model, Object.values(queue), async () => {
    const different = await assertOrUse(model, definitionsOf(model, queue, delays));
    await bind(model, { exchange: of.exchange, bindings: [{ queue: queue.main, types }] });
    await bindToRequeue(model, of.requeue, queue);
    return different;
  });
}

/** Binds the queues to which a consumer gives messages back: its user may publish to this exchange alone. */
export function bindToRequeue(
  model: ChannelModel,
  exchange: string,
  { retry, unknown, dead }: QueueNames,
): Promise<void> {
  return onChannel(model, async (channel) => {
    await channel.assertExchange(exchange, 'direct', { durable: true });
    for (const name of [retry, unknown, dead]) await channel.bindQueue(name, exchange, name);
  });
}

/**
 * Declares. A user without the right to, as in production, checks that `npm run ops -- migrate`, whose user has it, made the queues.
 * @returns what `declare` does, or nothing if it was only checked
 */
async function declareOrCheck(
  model: ChannelModel,
  queues: string[],
  declare: () => Promise<string[]>,
): Promise<string[]> {
  try {
    return await declare();
  } catch (error) {
    if ((error as { code?: unknown }).code !== accessRefused) throw error;
    await Promise.all(queues.map((queue) => onChannel(model, (channel) => channel.checkQueue(queue))));
    return [];
  }
}

/**
 * Creates the main queues of all services, so that no event is lost before its consumer has ever run.
 * @returns the names of those that exist with other arguments
 */
export async function assertPlatform(model: ChannelModel, namespace: string, table: QueueTable): Promise<string[]> {
  const bindings = queuesOf(namespace, table).map(({ queue, types }) => ({ queue: queue.main, types }));
  const declare = async () => {
    const different = await assertOrUse(
      model,
      queuesOf(namespace, table).map(({ queue }) => mainDefinition(queue)),
    );
    await bind(model, { exchange: names(namespace, '').exchange, bindings });
    return different;
  };
  return declareOrCheck(
    model,
    bindings.map(({ queue }) => queue),
    declare,
  );
}

/** The queues of all services, with the event types that each is bound to. */
export function queuesOf(
  namespace: string,
  table: QueueTable,
): { queue: QueueNames; requeue: string; types: string[] }[] {
  return Object.entries(table).flatMap(([service, queues]) =>
    Object.entries(queues).map(([name, types]) => ({
      queue: names(namespace, service).queue(name),
      requeue: names(namespace, service).requeue,
      types: types.map(({ type }) => type),
    })),
  );
}

type Bindings = { exchange: string; bindings: { queue: string; types: readonly string[] }[] };

async function bind(model: ChannelModel, { exchange, bindings }: Bindings): Promise<void> {
  await assertExchange(model, exchange);
  await onChannel(model, async (channel) => {
    for (const { queue, types } of bindings) for (const type of types) await channel.bindQueue(queue, exchange, type);
  });
}

const accessRefused = 403;
const missing = 404;
const differentArguments = 406;

/**
 * Creates queues. One that exists with other arguments, which cannot be changed, is used as it is: another version made it, whose
 * replicas may still consume it. `replaceQueues` replaces it.
 */
async function assertOrUse(model: ChannelModel, definitions: QueueDefinition[]): Promise<string[]> {
  const [first, ...others] = definitions;
  const assert = async (one: QueueDefinition) => ((await assertQueue(model, one)) ? [] : [one.name]);
  // One before all others: a user without the right is then refused once.
  const different = first ? await assert(first) : [];
  return [...different, ...(await Promise.all(others.map(assert))).flat()];
}

/** Creates a queue; false if it exists with other arguments. */
export async function assertQueue(model: ChannelModel, { name, args }: QueueDefinition): Promise<boolean> {
  try {
    await onChannel(model, (channel) => channel.assertQueue(name, durable(args)));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== differentArguments) throw error;
    return false;
  }
}

function majorVersion({ connection }: ChannelModel): number {
  return Number.parseInt(connection.serverProperties.version, 10);
}

/** Runs `work` on a channel of its own, since the broker closes the channel of a command that it refuses. */
export async function onChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  return withChannel(await model.createChannel(), work);
}

/** The same on a channel whose messages the broker confirms. */
export async function onConfirmChannel<T>(
  model: ChannelModel,
  work: (channel: ConfirmChannel) => Promise<T>,
): Promise<T> {
  return withChannel(await model.createConfirmChannel(), work);
}

/**
 * Puts messages on a queue; resolves once they are there.
 * @throws AppError not_found `queue_not_found`: the queue is gone, and with it some of them
 */
export async function sendRouted(
  channel: ConfirmChannel,
  queue: string,
  messages: Pick<GetMessage, 'content' | 'properties'>[],
): Promise<void> {
  let isReturned = false;
  const onReturn = () => {
    isReturned = true;
  };
  channel.on('return', onReturn);
  for (const { content, properties } of messages)
    channel.sendToQueue(queue, content, { ...properties, persistent: true, mandatory: true });
  // The broker returns what it cannot route before it confirms it.
  await channel.waitForConfirms().finally(() => channel.off('return', onReturn));
  if (isReturned) throw new AppError('not_found', 'queue_not_found', `the queue ${queue} is gone: run it again`);
}

async function withChannel<C extends Channel, T>(channel: C, work: (channel: C) => Promise<T>): Promise<T> {
  // Errors also reject the pending call.
  channel.on('error', () => undefined);
  try {
    return await work(channel);
  } finally {
    await closeChannel(channel);
  }
}

/** Also if the connection is lost meanwhile: then the library never answers `close()`. */
export async function closeChannel(channel: Channel): Promise<void> {
  const closed = new Promise<void>((resolve) => channel.once('close', resolve));
  await Promise.race([channel.close().catch(() => undefined), closed]);
}

/** Headers that describe a delivery attempt, set by consumers and by the broker. */
const attemptHeaders =
  /^x-(attempts|unknown-rounds|reason|failed-at|delivery-count|acquired-count|death$|(first|last)-death-)/;

/** A message's headers as its publisher set them. */
export function ownHeaders(headers: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !attemptHeaders.test(name)));
}
