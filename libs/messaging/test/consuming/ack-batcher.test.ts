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
  const complete = (tag: number) => acknowledge.ack(messages.get(tag) as ConsumeMessage);
  const finish = (...tags: number[]) => {
    tags.forEach(complete);
    acknowledge.flush();
    return acknowledged.splice(0);
  };
  return { finish, complete, acknowledged };
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

test('messages completed in one turn of the event loop are acknowledged together', async () => {
  const { complete, acknowledged } = acknowledging();
  [1, 2, 3].forEach(complete);
  await new Promise((resolve) => setImmediate(resolve));
  expect(acknowledged).toEqual(['up to 3']);
});
