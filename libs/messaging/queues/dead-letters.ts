import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import { type ChannelModel, type ConfirmChannel, connect, type GetMessage } from 'amqplib';
import { onConfirmChannel, ownHeaders, sendRouted } from './topology.ts';

/** A message that waits in a dead-letter queue. `id` and `type` are those of its event, null if it has none. */
export type DeadLetter = {
  id: string | null;
  type: string | null;
  /** Why it could not be handled, as the consumer or the broker said. */
  reason: string;
  /** ISO date on which its consumer reported the last attempt as failed; null if it did not, as when its process ended. */
  failedAt: string | null;
  /** The request that led to the event. */
  requestId: string | null;
  content: Buffer;
};

/** More than an operator looks at; all of them are held unacknowledged meanwhile. */
const maxLookedAt = 10_000;

/** How long to wait until the broker has put back what was only looked at, and between two looks. */
const requeueMs = 10_000;
const requeuePollMs = 20;

/**
 * The dead-letter queues of a broker, for an operator. Queues are named as their consumer's: `<service>.<purpose>` with the
 * namespace before it. What is only looked at stays where it is, in its order, if no more than 10,000 wait.
 */
export class DeadLetters {
  readonly #connection: ChannelModel;

  constructor(connection: ChannelModel) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<DeadLetters> {
    const connection = await connect(url, { noDelay: true });
    // Errors also reject the pending call.
    connection.on('error', () => undefined);
    return new DeadLetters(connection);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** How many wait. @throws AppError not_found `queue_not_found` */
  count(queue: string): Promise<number> {
    return onConfirmChannel(this.#connection, (channel) => messageCount(channel, deadOf(queue)));
  }

  /** How many wait for each of these queues that has any; a queue whose consumer has never run has none. */
  async countAll(queues: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const queue of queues) {
      const count = await this.count(queue).catch(zeroIfMissing);
      if (count > 0) counts.set(queue, count);
    }
    return counts;
  }

  /** The oldest `limit`, oldest first. @throws AppError not_found `queue_not_found` */
  async list(queue: string, limit = maxLookedAt): Promise<DeadLetter[]> {
    const found: DeadLetter[] = [];
    // All are looked at: the broker may put back some of them behind those that were not.
    await this.#forEach(queue, maxLookedAt, async (message) => {
      if (found.length < limit) found.push(deadLetterOf(message));
      return 'keep';
    });
    return found;
  }

  /**
   * Moves messages back to their queue, oldest first: all, or those of one event. Only as many as were there at the start are
   * looked at, so that a message that fails again is not replayed for ever.
   * @returns how many were moved
   * @throws AppError not_found `queue_not_found`, also if the consumer's queue is missing or is deleted meanwhile: what has not
   * reached it stays dead-lettered
   */
  async replay(queue: string, eventId?: string): Promise<number> {
    await onConfirmChannel(this.#connection, (channel) => messageCount(channel, queue));
    return this.#forEach(queue, limitOf(eventId), async (message, channel) => {
      if (eventId !== undefined && message.properties.messageId !== eventId) return 'keep';
      const properties = { ...message.properties, headers: ownHeaders(message.properties.headers) };
      await sendRouted(channel, queue, [{ ...message, properties }]);
      return 'remove';
    });
  }

  /** Deletes messages for good: all, or those of one event. @returns how many. @throws AppError not_found `queue_not_found` */
  drop(queue: string, eventId?: string): Promise<number> {
    return this.#forEach(queue, limitOf(eventId), async ({ properties }) =>
      eventId === undefined || properties.messageId === eventId ? 'remove' : 'keep',
    );
  }

  /** Decides on each message, oldest first. Kept ones are back in their places when it ends. @returns how many were removed */
  #forEach(
    queue: string,
    limit: number,
    decide: (message: GetMessage, channel: ConfirmChannel) => Promise<'keep' | 'remove'>,
  ): Promise<number> {
    return onConfirmChannel(this.#connection, async (channel) => {
      const dead = deadOf(queue);
      const waiting = await messageCount(channel, dead);
      const count = Math.min(waiting, limit);
      let removed = 0;
      let kept = 0;
      for (let seen = 0; seen < count; seen++) {
        const message = await channel.get(dead);
        if (!message) break;
        if ((await decide(message, channel)) === 'keep') {
          kept += 1;
          continue;
        }
        channel.ack(message);
        removed += 1;
      }
      if (kept > 0) await requeueKept(channel, dead, waiting - removed);
      return removed;
    });
  }
}

/** Requeues what the channel holds. The broker does so some time later, and until then the next look would miss it: waits for `total` messages. */
async function requeueKept(channel: ConfirmChannel, dead: string, total: number): Promise<void> {
  channel.nackAll();
  // Another operator may have taken some meanwhile: then the wait ends without them.
  for (const end = performance.now() + requeueMs; performance.now() < end; await delay(requeuePollMs)) {
    if ((await messageCount(channel, dead)) >= total) return;
  }
}

function deadOf(queue: string): string {
  return `${queue}.dead`;
}

/** Without an id every message is decided on and none is kept, so there is no limit. */
function limitOf(eventId: string | undefined): number {
  return eventId === undefined ? Number.POSITIVE_INFINITY : maxLookedAt;
}

async function messageCount(channel: ConfirmChannel, queue: string): Promise<number> {
  try {
    return (await channel.checkQueue(queue)).messageCount;
  } catch (cause) {
    throw new AppError('not_found', 'queue_not_found', `there is no queue ${queue} on this broker`, { cause });
  }
}

function zeroIfMissing(error: unknown): number {
  if (error instanceof AppError && error.code === 'queue_not_found') return 0;
  throw error;
}

function deadLetterOf({ properties, content }: GetMessage): DeadLetter {
  const headers = properties.headers ?? {};
  return {
    id: textOrNull(properties.messageId),
    type: textOrNull(properties.type),
    reason: reasonOf(headers),
    failedAt: deathOf(headers) === 'delivery_limit' ? null : textOrNull(headers['x-failed-at']),
    requestId: textOrNull(headers['x-request-id']),
    content,
  };
}

/** The consumer gives a reason in its own words; the broker has a code for what it dead-lettered itself. */
function reasonOf(headers: Record<string, unknown>): string {
  const byBroker = deathOf(headers);
  // First, because the consumer's reason is then that of an earlier attempt.
  if (byBroker === 'delivery_limit') return 'its consumer ended each time before it answered (delivery_limit)';
  return String(headers['x-reason'] ?? byBroker ?? 'unknown');
}

/** Why the broker moved the message last; before RabbitMQ 3.13 only the list of moves, the newest first, says so. */
function deathOf(headers: Record<string, unknown>): unknown {
  const [newest] = (headers['x-death'] ?? []) as { reason?: unknown }[];
  return headers['x-last-death-reason'] ?? newest?.reason ?? headers['x-first-death-reason'];
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
