import { type EventType, eventTypes } from '@app/contracts';
import { AppError } from '@app/kernel';
import { eventFixture } from '@app/testing';
import { on, readEvent, retryDecision } from '../../consuming/subscription.ts';
import { decodeContent } from '../../message.ts';

const types = [...eventTypes.values()] as unknown as EventType<unknown>[];
const table = new Map(types.map((type) => [type.type, on(type, async () => undefined)]));
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (content: Buffer) => readEvent(decodeContent(content), table);

function refusal(read: () => unknown): AppError {
  try {
    read();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('it was read');
}

test.each(types.map((type) => [type.type, type] as const))(
  'a message of %s reaches its handler whole',
  (_name, type) => {
    const event = eventFixture(type);
    const found = read(bytes(event));
    expect(found.event).toEqual(event);
    expect(found.subscription.eventType.type).toBe(type.type);
  },
);

test('fields that a newer publisher adds are allowed', () => {
  const [type] = types as [EventType<object>];
  const event = eventFixture(type);
  const newer = { ...event, newer: 1, data: { ...event.data, newer: 1 } };
  expect(read(bytes(newer)).event).toEqual(newer);
});

test.each([
  ['nothing', Buffer.from('null'), 'CloudEvents'],
  ['no event', bytes({ hello: 'world' }), 'CloudEvents'],
  ['another version of CloudEvents', bytes({ ...eventFixture(types[0] as never), specversion: '0.3' }), 'CloudEvents'],
  ['a type that nobody handles', bytes({ ...eventFixture(types[0] as never), type: 'x.unheard_of.v1' }), 'no handler'],
  ['data that break the schema', bytes({ ...eventFixture(types[0] as never), data: {} }), 'required'],
])('%s is unknown, with the reason, and may be known to a newer version', (_fault, content, reason) => {
  const error = refusal(() => read(content));
  expect(error).toMatchObject({ kind: 'invalid', code: 'message_unknown' });
  expect(error.message).toContain(reason);
  expect(retryDecision(error, 0, 5)).toBe('unknown');
});

test('a message that is no JSON is invalid in any version, and never retried', () => {
  const error = refusal(() => read(Buffer.from('{"specversion":')));
  expect(error.message).toContain('not JSON');
  expect(retryDecision(error, 0, 5)).toBe('dead');
});

const labelled = (label: string) =>
  Object.assign(new Error('x'), { name: 'MongoServerError', hasErrorLabel: (asked: string) => asked === label });
const named = (name: string) => Object.assign(new Error('x'), { name });

test.each([
  ['a bug', new Error('x'), 0, 'retry'],
  ['a bug, for the last time', new Error('x'), 4, 'dead'],
  ['a service that does not answer', new AppError('unavailable', 'x', 'x'), 100, 'retry-unlimited'],
  ['a service that is too slow', new AppError('timeout', 'x', 'x'), 100, 'retry-unlimited'],
  ['a service that is overloaded', new AppError('overloaded', 'x', 'x'), 100, 'retry-unlimited'],
  ['a database that is down', named('MongoNetworkError'), 100, 'retry-unlimited'],
  ['a database that no longer answers', named('MongoServerSelectionError'), 100, 'retry-unlimited'],
  ['a pool that was emptied by a network error', named('PoolClearedOnNetworkError'), 100, 'retry-unlimited'],
  ['a pool that is exhausted', named('MongoWaitQueueTimeoutError'), 100, 'retry-unlimited'],
  ['a primary that steps down', labelled('RetryableWriteError'), 100, 'retry-unlimited'],
  ['one that interrupts what is not retried', Object.assign(new Error('x'), { code: 11602 }), 100, 'retry-unlimited'],
  ['a document that is there', Object.assign(new Error('x'), { code: 11000 }), 0, 'retry'],
  ["writes in each other's way", labelled('TransientTransactionError'), 100, 'retry-unlimited'],
  ['a write that the database refuses', labelled('Other'), 4, 'dead'],
  ['a document that is not there yet', new AppError('not_found', 'x', 'x'), 0, 'retry'],
] as const)('%s: of 5 attempts', (_what, error, attempts, expected) => {
  expect(retryDecision(error, attempts, 5)).toBe(expected);
});
