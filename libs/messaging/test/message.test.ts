import { encodeMessage } from '../message.ts';

test.each([
  [{ id: 5, type: {} }, {}],
  [{ id: 'é'.repeat(128), type: 'x'.repeat(255) }, { type: 'x'.repeat(255) }],
  [{ id: 'a', traceparent: { '!': 'none' } }, { messageId: 'a' }],
  [null, {}],
])('an invalid event is named by the fields that it has: %j', (event, named) => {
  const { properties } = encodeMessage(event);
  expect(properties).toEqual({ ...named, contentType: 'application/cloudevents+json', headers: {} });
});

test('a message says of its event what brokers and traces need', () => {
  const event = { id: 'b', type: 'thing.happened.v1', requestid: 'request-1', traceparent: '00-1-2-01' };
  expect(encodeMessage(event)).toEqual({
    type: 'thing.happened.v1',
    content: Buffer.from(JSON.stringify(event)),
    properties: {
      messageId: 'b',
      type: 'thing.happened.v1',
      contentType: 'application/cloudevents+json',
      headers: { traceparent: '00-1-2-01', 'x-request-id': 'request-1' },
    },
  });
});
