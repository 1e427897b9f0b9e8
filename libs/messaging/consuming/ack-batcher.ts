import type { Channel, ConsumeMessage } from 'amqplib';

export type AckBatcher = {
  /** To be called with each message as it arrives, in order. */
  delivered(message: ConsumeMessage): void;
  /** Acknowledges a message, together with all others of this turn of the event loop. */
  ack(message: ConsumeMessage): void;
  /** Sends pending acknowledgements now. */
  flush(): void;
};

/**
 * Batches the acknowledgements of one channel. The oldest handled messages are acknowledged by one command, which costs the broker
 * as much as a single one. Those behind a message that is still being handled are acknowledged one by one, so that none waits.
 */
export function createAckBatcher(channel: Channel): AckBatcher {
  /** Unacknowledged, in order of arrival. */
  const open = new Map<number, ConsumeMessage>();
  const handled = new Set<number>();
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    let last: ConsumeMessage | null = null;
    for (const [tag, message] of open) {
      if (!handled.delete(tag)) break;
      open.delete(tag);
      last = message;
    }
    if (last) send(last, true);
    for (const tag of handled) {
      send(open.get(tag) as ConsumeMessage, false);
      open.delete(tag);
    }
    handled.clear();
  }

  /** On a closed channel nothing is sent: the message is redelivered, and recognised by its id. */
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
      handled.add(message.fields.deliveryTag);
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    flush,
  };
}
