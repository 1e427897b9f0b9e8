import { furtherWebhooks, publicName, subscribableEvents, webhookCatalogue, webhookEventTypes } from '../index.ts';

test('every event type stands under its own name', () => {
  expect(webhookEventTypes.map(({ type }) => publicName(type))).toEqual(subscribableEvents);
});

test('what is beyond the specification is apart from what the specification has', () => {
  const [specified, further] = [webhookCatalogue, furtherWebhooks].map((all) => all.map(({ event }) => event));
  expect(further).toEqual(['ticket.due_soon', 'ticket.overdue']);
  expect([...(specified ?? []), ...(further ?? [])].sort()).toEqual([...subscribableEvents, 'webhook.test'].sort());
});

test.each([...webhookCatalogue, ...furtherWebhooks].map((webhook) => [webhook.event, webhook] as const))(
  'the example of %s is what its schema describes, and nothing else',
  (event, { schema, example, description }) => {
    const faultOf = (body: unknown) => schema.validate(body, { convert: false }).error?.message;
    expect(faultOf(example)).toBeUndefined();
    expect([example.event, description.length > 0]).toEqual([event, true]);
    expect(faultOf({ ...example, event: 'ticket.other' })).toContain('event');
    expect(faultOf({ ...example, audience: [] })).toContain('audience');
    for (const key of ['event', 'created_at', 'data'] as const) {
      const { [key]: _without, ...rest } = example;
      expect(faultOf(rest)).toContain(key);
    }
    for (const key of Object.keys(example.data)) {
      expect(faultOf({ ...example, data: { ...example.data, [key]: undefined } })).toContain(key);
    }
  },
);
