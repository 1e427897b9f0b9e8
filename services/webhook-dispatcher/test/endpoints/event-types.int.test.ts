import {
  type EventType,
  furtherWebhooks,
  publicName,
  subscribableEvents,
  type WebhookEventData,
  webhookCatalogue,
  webhookEventTypes,
} from '@app/contracts';
import { openApi } from '@app/http';
import { aCaller, eventFixture, eventually } from '@app/testing';
import { deliveryBody } from '../../deliveries/delivery.ts';
import { webhookDocs } from '../../endpoints/event-type-routes.ts';
import { aCompany, useDispatcher } from '../dispatcher.ts';

const path = '/webhooks/event-types';
const own = useDispatcher();

type Json = Record<string, unknown>;
type Item = { type: string; subscribable: boolean; schema: Json; example: Json; description: string };

test('every event type is described by the schema and an example of its whole body', async () => {
  const { status, body } = await own.dispatcher.call(aCompany(), 'get', path);
  expect(status).toBe(200);
  const typesOf = (list: Item[]) => list.map(({ type }) => type);
  expect([typesOf(body.items), typesOf(body.further)]).toEqual(
    [webhookCatalogue, furtherWebhooks].map((all) => all.map(({ event }) => event)),
  );
  const items: Item[] = [...body.items, ...body.further];
  expect(typesOf(items.filter(({ subscribable }) => subscribable))).toEqual(subscribableEvents);
  for (const { type, schema, example, description } of items) {
    const [key] = Object.keys(example['data'] as Json).filter((one) => one !== 'ticket');
    expect(schema).toMatchObject({
      type: 'object',
      required: expect.arrayContaining(['event', 'created_at', 'data']),
      properties: { data: { type: 'object', required: expect.arrayContaining([key]) } },
    });
    expect([type, description]).toEqual([example['event'], expect.stringMatching(/\.$/)]);
    // Fields may be added: a receiver that checks bodies by the schema must let them through.
    expect(JSON.stringify(schema)).not.toContain('additionalProperties');
  }
});

test('the examples read as deliveries do', () => {
  for (const { event, example } of [...webhookCatalogue, ...furtherWebhooks]) {
    expect(JSON.stringify(example)).toBe(deliveryBody(event, example.created_at, example.data));
  }
});

test('the OpenAPI document has a webhook of every event type, with the headers that are sent', async () => {
  const webhooks = JSON.parse(JSON.stringify(openApi('webhook-dispatcher', [], webhookDocs())['webhooks']));
  expect(Object.keys(webhooks).sort()).toEqual([...subscribableEvents, 'webhook.test'].sort());
  const { items, further } = (await own.dispatcher.call(aCompany(), 'get', path)).body;
  for (const { type, schema, example } of [...items, ...further] as Item[]) {
    expect(webhooks[type].post).toMatchObject({
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: { '2XX': expect.anything() },
    });
    const headers = webhooks[type].post.parameters.map(({ name }: { name: string }) => name);
    expect(headers).toEqual(['X-Service-Event', 'X-Service-Delivery', 'X-Service-Signature']);
  }
});

type WebhookEventType = EventType<WebhookEventData<string, unknown>>;
const fixtures = webhookEventTypes.map((type) => eventFixture(type as unknown as WebhookEventType));

test('every frozen event becomes the body of docs/webhooks.md, with no other key in data', async () => {
  const [companyId = ''] = fixtures[0]?.data.audience ?? [];
  const company = aCaller({ companyId, permissions: ['api_webhooks', 'tickets'] });
  await own.dispatcher.endpoint(company, own.receiver.url('/frozen'), subscribableEvents);
  await own.dispatcher.publish(...fixtures);
  const received = await eventually(() => {
    expect(own.receiver.at('/frozen')).toHaveLength(fixtures.length);
    return own.receiver.at('/frozen');
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
