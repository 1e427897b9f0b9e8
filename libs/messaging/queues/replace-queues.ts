import type { QueueTable } from '@app/contracts';
import { type ChannelModel, type ConfirmChannel, connect, type GetMessage } from 'amqplib';
import {
  assertQueue,
  assertQueues,
  bindToRequeue,
  type Delays,
  defaultDelays,
  definitionsOf,
  durable,
  names,
  onChannel,
  onConfirmChannel,
  type QueueDefinition,
  type QueueNames,
  queuesOf,
  sendRouted,
  unlimited,
} from './topology.ts';

/** What became of a queue that differs. `in use`: its main queue has `consumers`; left as it is. */
export type QueueOutcome = {
  queue: string;
  result: 'replaced' | 'in use' | 'pending';
  moved: number;
  consumers: number;
};

type Options = {
  url: string;
  namespace: string;
  table: QueueTable;
  delays?: Delays;
  /**
   * How long a queue must be empty and without consumers before it is deleted, 12 s: a replica that
   * stops gives back its unacknowledged messages within 10.
   */
  settleMs?: number;
};

/** Messages that are moved at once. */
const batchSize = 200;
const checkEveryMs = 250;
/** How often another process may declare a queue again with its former arguments meanwhile. */
const maxRounds = 5;

/**
 * Replaces queues whose arguments are not those of this version; RabbitMQ cannot change them. Nothing is lost: what waits, and events
 * that come meanwhile, go to queues `<name>.moving`, which a later call empties if this one is cut off. Messages may come twice and
 * out of their order. Queues with consumers are left as they are: what those hold unacknowledged, or publish there, would be lost.
 * @throws Error if another process is replacing queues, or the broker refuses
 */
export function replaceQueues(options: Options): Promise<QueueOutcome[]> {
  return withBroker(options.url, async (model) => {
    await lock(model, options.namespace);
    const found = await outdated(model, options);
    const marker = markerOf(options.namespace);
    if (found.length > 0) await onChannel(model, (channel) => channel.assertQueue(marker, durable({})));
    const outcomes = await Promise.all(found.map((one) => new Replacement(model, one).run()));
    await onChannel(model, (channel) => channel.deleteQueue(marker));
    return outcomes.flat();
  });
}

/** The queues that `replaceQueues` would replace, or fill again. */
export function differentQueues(options: Options): Promise<QueueOutcome[]> {
  return withBroker(options.url, async (model) => {
    const found = (await outdated(model, options)).map(async ({ queue, different, left }): Promise<QueueOutcome[]> => {
      const { consumers } = await queueCounts(model, queue.main);
      const names = [...different.map(({ name }) => name), ...left];
      return [...new Set(names)].map((name) => ({ queue: name, result: 'pending', moved: 0, consumers }));
    });
    return (await Promise.all(found)).flat();
  });
}

/** Exists while queues are replaced, and after a replacement that was cut off. Without it, no moved messages are left anywhere. */
function markerOf(namespace: string): string {
  return `${namespace}queues.moving`;
}

function movingOf(queue: string): string {
  return `${queue}.moving`;
}

type ConsumerQueues = {
  queue: QueueNames;
  definitions: QueueDefinition[];
  exchange: string;
  requeue: string;
  types: string[];
  settleMs: number;
};
/** `left`: queues whose messages were moved by a replacement that was cut off. */
type Outdated = ConsumerQueues & { different: QueueDefinition[]; left: string[] };

/** The consumers one of whose queues differs from this version. */
async function outdated(model: ChannelModel, options: Options): Promise<Outdated[]> {
  const isCutOff = await exists(model, markerOf(options.namespace));
  const found = consumersOf(model, options).map(async (consumer): Promise<Outdated> => {
    const differs = async ({ name, ...rest }: QueueDefinition) =>
      (await exists(model, name)) && !(await assertQueue(model, { name, ...rest }));
    const isLeft = async ({ name }: QueueDefinition) => isCutOff && (await exists(model, movingOf(name)));
    const different = await filterAsync(consumer.definitions, differs);
    const left = (await filterAsync(consumer.definitions, isLeft)).map(({ name }) => name);
    return { ...consumer, different, left };
  });
  return (await Promise.all(found)).filter(({ different, left }) => different.length + left.length > 0);
}

function consumersOf(model: ChannelModel, options: Options): ConsumerQueues[] {
  const { namespace, table, delays = defaultDelays, settleMs = 12_000 } = options;
  const { exchange } = names(namespace, '');
  return queuesOf(namespace, table).map(({ queue, requeue, types }) => ({
    queue,
    requeue,
    types,
    exchange,
    settleMs,
    definitions: definitionsOf(model, queue, delays),
  }));
}

async function filterAsync<T>(all: T[], test: (one: T) => Promise<boolean>): Promise<T[]> {
  const passed = await Promise.all(all.map(test));
  return all.filter((_, index) => passed[index]);
}

/** Replaces the queues of one consumer. After a crash at any step, the next run continues it. */
class Replacement {
  readonly #model: ChannelModel;
  readonly #outdated: Outdated;
  readonly #moved = new Map<string, number>();

  constructor(model: ChannelModel, one: Outdated) {
    this.#model = model;
    this.#outdated = one;
  }

  async run(): Promise<QueueOutcome[]> {
    const { queue, different, left, definitions } = this.#outdated;
    const isReplaced = different.length === 0 || (await this.#replace());
    // A replacement that was cut off may have left one deleted.
    for (const definition of definitions) await assertQueue(this.#model, definition);
    await bindToRequeue(this.#model, this.#outdated.requeue, queue);
    for (const { name } of definitions) if (await exists(this.#model, movingOf(name))) await this.#moveBack(name);
    const { consumers } = await queueCounts(this.#model, queue.main);
    const result = isReplaced ? 'replaced' : 'in use';
    const named = new Set([...different.map(({ name }) => name), ...left]);
    return [...named].map((name) => ({ queue: name, result, moved: this.#moved.get(name) ?? 0, consumers }));
  }

  /** False if the queue has consumers. What was moved is then still to be moved back. */
  async #replace(): Promise<boolean> {
    const { queue, different } = this.#outdated;
    if ((await queueCounts(this.#model, queue.main)).consumers > 0) return false;
    const emptied = new Set(different.map(({ name }) => name));
    // The broker moves what waits in these to the main queue when its time is over, perhaps just as that is deleted.
    if (emptied.has(queue.main)) for (const name of [queue.retry, queue.unknown]) emptied.add(name);
    for (const name of emptied) await this.#divert(name);
    for (let round = 0; round < maxRounds; round++) {
      if (!(await this.#areEmptyAndUnused(emptied))) return false;
      for (const { name } of different) await onChannel(this.#model, (channel) => channel.deleteQueue(name));
      const made = await filterAsync(different, (one) => assertQueue(this.#model, one));
      if (made.length === different.length) return true;
    }
    throw new Error(`${queue.main} is made again with its former arguments each time: stop the service, run it again`);
  }

  /** Has events go to the other queue. That one is bound before this one is unbound: an event goes to both rather than to none. */
  async #divert(name: string): Promise<void> {
    const moving = { name: movingOf(name), args: unlimited(this.#model) };
    await assertQueue(this.#model, moving);
    await this.#bind(name, moving.name);
    await this.#unbind(name, name);
  }

  /** Moves what waits until all have been empty for a while; false once one has consumers. */
  async #areEmptyAndUnused(queues: Set<string>): Promise<boolean> {
    const { queue, settleMs } = this.#outdated;
    for (let quietSince = performance.now(); ; ) {
      if ((await queueCounts(this.#model, queue.main)).consumers > 0) return false;
      for (const name of queues) {
        const { messages } = await queueCounts(this.#model, name);
        if (messages === 0) continue;
        const moved = await moveAll(this.#model, name, movingOf(name));
        this.#moved.set(name, (this.#moved.get(name) ?? 0) + moved);
        quietSince = performance.now();
      }
      // Right after the check that found them empty.
      if (performance.now() - quietSince >= settleMs) return true;
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    }
  }

  /** Binds the queue again and moves its messages back from `<name>.moving`. */
  async #moveBack(name: string): Promise<void> {
    await this.#bind(name, name);
    await this.#unbind(name, movingOf(name));
    await moveAll(this.#model, movingOf(name), name);
    await onChannel(this.#model, (channel) => channel.deleteQueue(movingOf(name)));
  }

  #bind(name: string, target: string): Promise<void> {
    return onChannel(this.#model, async (channel) => {
      for (const type of this.#typesOf(name)) await channel.bindQueue(target, this.#outdated.exchange, type);
    });
  }

  #unbind(name: string, target: string): Promise<void> {
    return onChannel(this.#model, async (channel) => {
      for (const type of this.#typesOf(name)) await channel.unbindQueue(target, this.#outdated.exchange, type);
    });
  }

  /** Events go to the main queue alone. */
  #typesOf(name: string): string[] {
    return name === this.#outdated.queue.main ? this.#outdated.types : [];
  }
}

async function exists(model: ChannelModel, queue: string): Promise<boolean> {
  try {
    await onChannel(model, (channel) => channel.checkQueue(queue));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== notFound) throw error;
    return false;
  }
}

const notFound = 404;

/** A queue that does not exist is empty and has no consumers. */
export async function queueCounts(
  model: ChannelModel,
  queue: string,
): Promise<{ consumers: number; messages: number }> {
  if (!(await exists(model, queue))) return { consumers: 0, messages: 0 };
  const { consumerCount, messageCount } = await onChannel(model, (channel) => channel.checkQueue(queue));
  return { consumers: consumerCount, messages: messageCount };
}

/** Moves what waits in a queue, oldest first. A message is acknowledged once the broker has confirmed its copy. @returns how many */
function moveAll(model: ChannelModel, from: string, to: string): Promise<number> {
  return onConfirmChannel(model, async (channel) => {
    for (let moved = 0; ; ) {
      const batch = await getBatch(channel, from);
      const last = batch.at(-1);
      if (!last) return moved;
      await sendRouted(channel, to, batch);
      channel.ack(last, true);
      moved += batch.length;
    }
  });
}

async function getBatch(channel: ConfirmChannel, queue: string): Promise<GetMessage[]> {
  const batch: GetMessage[] = [];
  while (batch.length < batchSize) {
    const message = await channel.get(queue);
    if (!message) break;
    batch.push(message);
  }
  return batch;
}

/** Held until the connection ends, however that comes about. */
async function lock(model: ChannelModel, namespace: string): Promise<void> {
  for (const until = performance.now() + lockWaitMs; ; ) {
    try {
      await onChannel(model, (channel) => channel.assertQueue(`${namespace}replacing-queues`, { exclusive: true }));
      return;
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== locked) throw cause;
      if (performance.now() > until) throw new Error('another process is replacing queues: wait for it', { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
}

const locked = 405;
/** The broker takes a moment to notice that the connection of the one before has ended. */
const lockWaitMs = 5_000;

/** Runs `work` on a connection of its own. */
export async function withBroker<T>(url: string, work: (model: ChannelModel) => Promise<T>): Promise<T> {
  const model = await connect(url, { noDelay: true, timeout: 10_000 });
  // Errors also reject the pending call.
  model.on('error', () => undefined);
  try {
    return await work(model);
  } finally {
    await model.close().catch(() => undefined);
  }
}

/** Makes the queues of all services with their bindings, as far as they are missing: users of services may not. */
export function makeQueues({ url, namespace, table }: Pick<Options, 'url' | 'namespace' | 'table'>): Promise<void> {
  return withBroker(url, async (model) => {
    for (const [service, queues] of Object.entries(table))
      for (const { queue, types } of queuesOf(namespace, { [service]: queues }))
        await assertQueues(model, { names: names(namespace, service), queue, types, delays: defaultDelays });
  });
}
