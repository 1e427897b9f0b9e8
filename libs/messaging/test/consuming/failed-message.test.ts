import { AppError } from '@app/kernel';
import { testLogger } from '@app/testing';
import type { ConsumeMessage } from 'amqplib';
import { createFailureHandler } from '../../consuming/failed-message.ts';

const queue = { main: 'main', retry: 'main.retry', unknown: 'main.unknown', dead: 'main.dead' };
const message = (headers: object) => ({ content: Buffer.from('x'), properties: { headers } }) as ConsumeMessage;

/** A broker that refuses the first `times` messages, and what it was sent. */
function refusing(times: number, refusal: Error = new AppError('unavailable', 'away', 'refused')) {
  const sent: { queue: string; headers: Record<string, unknown> }[] = [];
  const settle = createFailureHandler({
    queue,
    logger: testLogger(),
    async send(to, { properties }) {
      sent.push({ queue: to, headers: properties.headers ?? {} });
      if (sent.length <= times) throw refusal;
    },
  });
  return { sent, settle };
}

test('a message that the broker refuses is sent again as long as it is unacknowledged', async () => {
  const { sent, settle } = refusing(1);
  await settle({ message: message({}), error: new Error('a bug'), channelIsOpen: () => true });
  expect(sent.map((each) => each.queue)).toEqual(['main.retry', 'main.retry']);
});

test('a message that cannot be sent at all is not retried', async () => {
  const { sent, settle } = refusing(1, new TypeError('no header of that kind'));
  const failed = { message: message({}), error: new Error('a bug'), channelIsOpen: () => true };
  await expect(settle(failed)).rejects.toThrow('no header of that kind');
  expect(sent).toHaveLength(1);
});

test('once its channel is gone a message is left to the broker, which redelivers it', async () => {
  const { sent, settle } = refusing(1);
  const failed = { message: message({}), error: new Error('a bug'), channelIsOpen: () => sent.length === 0 };
  await expect(settle(failed)).rejects.toThrow('gone');
  expect(sent).toHaveLength(1);
});

test.each([
  ['retried for an hour', 59, 'main.unknown'],
  ['dead-lettered after it', 60, 'main.dead'],
])('a message unknown to this version is %s', async (_when, rounds, queue) => {
  const { sent, settle } = refusing(0);
  const error = new AppError('invalid', 'message_unknown', 'no handler');
  await settle({ message: message({ 'x-unknown-rounds': rounds }), error, channelIsOpen: () => true });
  expect(sent).toMatchObject([{ queue, headers: { 'x-unknown-rounds': rounds + 1, 'x-reason': 'no handler' } }]);
});

test('an outage is not counted as an attempt', async () => {
  const { sent, settle } = refusing(0);
  const error = new AppError('unavailable', 'away', 'away');
  await settle({ message: message({ 'x-attempts': 4 }), error, channelIsOpen: () => true });
  expect(sent).toMatchObject([{ queue: 'main.retry', headers: { 'x-attempts': 4 } }]);
});

test('headers of the broker and of earlier attempts are removed; those of the publisher are kept', async () => {
  const { sent, settle } = refusing(0);
  const given = {
    traceparent: '00-a-b-01',
    'x-request-id': 'request-1',
    'x-attempts': 2,
    'x-reason': 'before',
    'x-death': [{ queue: 'main.retry' }],
    'x-first-death-queue': 'main.retry',
    'x-last-death-reason': 'expired',
    'x-delivery-count': 3,
  };
  await settle({ message: message(given), error: new Error('now'), channelIsOpen: () => true });
  expect(sent[0]?.headers).toEqual({
    traceparent: '00-a-b-01',
    'x-request-id': 'request-1',
    'x-attempts': 3,
    'x-reason': 'now',
    'x-failed-at': expect.any(String),
  });
});
