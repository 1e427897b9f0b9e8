import { isLegacyBatch, splitLegacyBatch } from '../consuming/legacy-batch.ts';
import { decodeContent, encodeMessage } from '../message.ts';

test('a message that is no JSON is refused', () => {
  expect(() => decodeContent(Buffer.from('{'))).toThrow('not JSON');
});

test.each([
  [{ id: 5, type: {} }, {}],
  [{ id: 'é'.repeat(128), type: 'x'.repeat(255) }, { type: 'x'.repeat(255) }],
  [{ id: 'a', traceparent: { '!': 'none' } }, { messageId: 'a' }],
  [null, {}],
])('an invalid event is named by the fields that it has: %j', (event, named) => {
  const { properties } = encodeMessage(event);
  expect(properties).toEqual({ ...named, contentType: 'application/cloudevents+json', headers: {} });
});

test('each event of a batch becomes the message that it would have been alone', () => {
  const event = { id: 'b', type: 'thing.happened.v1', requestid: 'request-1', traceparent: '00-1-2-01' };
  const batch = { properties: { messageId: 'a', type: 'other', contentType: 'application/cloudevents-batch+json' } };
  const [nothing, message] = splitLegacyBatch([null, event], batch as never);
  expect(message).toEqual({
    content: Buffer.from(JSON.stringify(event)),
    properties: {
      messageId: 'b',
      type: 'thing.happened.v1',
      contentType: 'application/cloudevents+json',
      headers: { traceparent: '00-1-2-01', 'x-request-id': 'request-1' },
    },
  });
  // That of the batch is another event's.
  expect(nothing?.properties).toMatchObject({ messageId: undefined, type: undefined });
});

test.each([[[]], [{}], [null]])('%j is no batch', (content) => {
  expect(isLegacyBatch(content)).toBe(false);
});
