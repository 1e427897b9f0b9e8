import type { Channel, ConsumeMessage } from 'amqplib';
import { createAckBatcher } from '../../consuming/ack-batcher.ts';

/** The acknowledgements that the broker gets, as `upTo 3` or `only 3`. */
function acknowledging() {
  const acknowledged: string[] = [];
  const channel = {
    ack: ({ fields }: ConsumeMessage, allUpTo: boolean) =>
      void acknowledged.push(`${allUpTo ? 'up to' : 'only'} ${fields.deliveryTag}`),
  } as unknown as Channel;
  const acknowledge = createAckBatcher(channel);
  const messages = new Map(
    [1, 2, 3, 4, 5].map((deliveryTag) => [deliveryTag, { fields: { deliveryTag } } as ConsumeMessage]),
  );
  for (const message of messages.values()) acknowledge.delivered(message);
  const finish = (...tags: number[]) => {
    for (const tag of tags) acknowledge.ack(messages.get(tag) as ConsumeMessage);
    acknowledge.flush();
    return acknowledged.splice(0);
  };
  return { finish };
}

test('completed messages at the head are acknowledged at once, in whatever order they completed', () => {
  expect(acknowledging().finish(2, 1, 3)).toEqual(['up to 3']);
});

test('a message in progress is not acknowledged with later ones, which do not wait for it', () => {
  const { finish } = acknowledging();
  expect(finish(1, 3, 4)).toEqual(['up to 1', 'only 3', 'only 4']);
  expect(finish(2)).toEqual(['up to 2']);
  expect(finish(5)).toEqual(['up to 5']);
});

test('nothing is acknowledged twice', () => {
  const { finish } = acknowledging();
  expect(finish(1, 2)).toEqual(['up to 2']);
  expect(finish()).toEqual([]);
});

test('messages completed in one turn of the event loop are acknowledged together', async () => {
  const acknowledged: unknown[][] = [];
  const acknowledge = createAckBatcher({
    ack: (...given: unknown[]) => void acknowledged.push(given),
  } as unknown as Channel);
  const messages = [1, 2, 3].map((deliveryTag) => ({ fields: { deliveryTag } }) as ConsumeMessage);
  for (const message of messages) acknowledge.delivered(message);
  for (const message of messages) acknowledge.ack(message);
  await new Promise((resolve) => setImmediate(resolve));
  expect(acknowledged).toEqual([[messages[2], true]]);
});
