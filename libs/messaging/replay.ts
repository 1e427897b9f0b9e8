import { AppError } from '@app/kernel';
import { type Channel, connect } from 'amqplib';
import { ownHeaders } from './topology.ts';

/**
 * Moves the messages of a dead-letter queue back to its queue, oldest first; only as many as were there at the start, so that a
 * message that fails again is not replayed for ever. Each is acknowledged once the broker has confirmed the copy.
 * @param queue the consumer's queue, `<service>.<purpose>` with the namespace before it
 * @returns how many were moved
 * @throws AppError not_found `queue_not_found`
 */
export async function replayDeadLetters(url: string, queue: string): Promise<number> {
  const connection = await connect(url, { noDelay: true });
  try {
    // Errors also reject the pending call.
    connection.on('error', () => undefined);
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => undefined);
    // Both must exist, since a message to a missing queue would be dropped.
    await check(channel, queue);
    const { messageCount } = await check(channel, `${queue}.dead`);
    let replayed = 0;
    for (; replayed < messageCount; replayed++) {
      const message = await channel.get(`${queue}.dead`);
      if (!message) break;
      const headers = ownHeaders(message.properties.headers);
      channel.sendToQueue(queue, message.content, { ...message.properties, headers, persistent: true });
      await channel.waitForConfirms();
      channel.ack(message);
    }
    await channel.close();
    return replayed;
  } finally {
    await connection.close();
  }
}

async function check(channel: Channel, queue: string): Promise<{ messageCount: number }> {
  try {
    return await channel.checkQueue(queue);
  } catch (cause) {
    throw new AppError('not_found', 'queue_not_found', `there is no queue ${queue} on this broker`, { cause });
  }
}
