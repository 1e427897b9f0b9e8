import { type EventType, publicName, type WebhookEventData, webhookEventTypes } from '@app/contracts';
import { aCaller, eventFixture, eventually, type Receiver } from '@app/testing';
import { type Dispatcher, useDispatcher } from './dispatcher.ts';

type WebhookEventType = EventType<WebhookEventData<string, unknown>>;
const fixtures = webhookEventTypes.map((type) => eventFixture(type as unknown as WebhookEventType));

let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({}, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

test('every frozen event becomes the body of docs/webhooks.md, with no other key in data', async () => {
  const [companyId = ''] = fixtures[0]?.data.audience ?? [];
  const company = aCaller({ companyId, permissions: ['api_webhooks'] });
  const names = webhookEventTypes.map(({ type }) => publicName(type));
  await dispatcher.endpoint(company, receiver.url('/frozen'), names);
  await dispatcher.publish(...fixtures);
  const received = await eventually(() => {
    expect(receiver.at('/frozen')).toHaveLength(fixtures.length);
    return receiver.at('/frozen');
  });
  const bodies = received.map(({ body }) => JSON.parse(body.toString('utf8')) as { event: string });
  const expected = fixtures.map(({ type, time, data }) => ({
    event: publicName(type),
    created_at: time,
    data: data.payload,
  }));
  const byName = (a: { event: string }, b: { event: string }) => a.event.localeCompare(b.event);
  expect(bodies.sort(byName)).toEqual(expected.sort(byName));
});
