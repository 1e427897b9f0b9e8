import type { Channel, ConsumeMessage } from 'amqplib';

export type AckBatcher = {
  /** A message has come: it is to be acknowledged some time. */
  delivered(message: ConsumeMessage): void;
  /** It is done with: acknowledged with all that are done by the end of this turn of the event loop. */
  ack(message: ConsumeMessage): void;
  /** Sends at once what is left to be sent. */
  flush(): void;
};

/**
 * Acknowledges the messages of one channel together: those at its head by a single word to the broker, which costs it as much as
 * one message would; those behind one that is still being handled one by one, so that none waits for another.
 */
export function createAckBatcher(channel: Channel): AckBatcher {
  /** In the order in which they came. */
  const open = new Map<number, ConsumeMessage>();
  const finished = new Set<number>();
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    let last: ConsumeMessage | null = null;
    for (const [tag, message] of open) {
      if (!finished.delete(tag)) break;
      open.delete(tag);
      last = message;
    }
    if (last) send(last, true);
    for (const tag of finished) {
      send(open.get(tag) as ConsumeMessage, false);
      open.delete(tag);
    }
    finished.clear();
  }

  /** A channel that is gone meanwhile cannot take it; the message will come again, and be known by its id. */
  function send(message: ConsumeMessage, allBefore: boolean): void {
    try {
      channel.ack(message, allBefore);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'IllegalOperationError') throw error;
    }
  }

  return {
    delivered: (message) => void open.set(message.fields.deliveryTag, message),
    ack(message) {
      finished.add(message.fields.deliveryTag);
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    flush,
  };
}
