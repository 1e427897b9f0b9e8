import { jsonSchema } from '@app/http';
import { stringify } from 'yaml';
import type { CatalogueEntry } from '../catalogue.ts';
import type { DescribedService } from '../describe-services.ts';

type Json = Record<string, unknown>;

/** The AsyncAPI 3.0 document of the domain events: what travels on the exchange, who sends it and who receives it. */
export function asyncApi(catalogue: CatalogueEntry[], services: DescribedService[]): string {
  const each = (make: (entry: CatalogueEntry) => Json) =>
    Object.fromEntries(catalogue.map((entry) => [entry.eventType.type, make(entry)]));
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'Domain events',
      version: '1.0.0',
      description: [
        'Events between the services: CloudEvents 1.0 in structured JSON on one durable topic exchange, the routing key',
        'being the type. Each event is a message of its own.',
        'Delivery is at least once and unordered. Consumers let unknown fields through; anything but a new',
        'optional field is a new version of the type beside the old one. NAMESPACE, where set, prefixes exchange and queues.',
      ].join('\n'),
    },
    defaultContentType: 'application/cloudevents+json',
    channels: each(channel),
    operations: operations(catalogue, services),
    components: { messages: each(message), schemas: { CloudEvent: cloudEvent } },
  };
  return `# Generated from libs/contracts and the services' subscriptions: edit these, not this file.\n${stringify(document, { lineWidth: 120, aliasDuplicateObjects: false })}`;
}

function channel({ eventType: { type } }: CatalogueEntry): Json {
  const exchange = { name: 'domain-events', type: 'topic', durable: true, autoDelete: false, vhost: '/' };
  return {
    address: type,
    messages: { event: { $ref: `#/components/messages/${type}` } },
    bindings: { amqp: { is: 'routingKey', exchange, bindingVersion: '0.3.0' } },
  };
}

function operations(catalogue: CatalogueEntry[], services: DescribedService[]): Json {
  const on = (type: string) => ({
    channel: { $ref: `#/channels/${type}` },
    messages: [{ $ref: `#/channels/${type}/messages/event` }],
  });
  const sent = catalogue.map(({ publisher, eventType: { type } }) => [
    `${publisher}.sends.${type}`,
    { action: 'send', summary: `${publisher} publishes ${type}`, ...on(type) },
  ]);
  const received = services.flatMap(({ name, consumes }) =>
    consumes.flatMap(({ queue, types }) =>
      types.map((type) => [
        `${name}.${queue}.receives.${type}`,
        { action: 'receive', summary: `${name} takes ${type} from its queue ${name}.${queue}`, ...on(type) },
      ]),
    ),
  );
  return Object.fromEntries([...sent, ...received]);
}

function message({ eventType, example }: CatalogueEntry): Json {
  const { type, schema } = eventType;
  const own = { type: 'object', properties: { type: { const: type }, data: jsonSchema(schema) } };
  return {
    name: type,
    contentType: 'application/cloudevents+json',
    payload: { allOf: [{ $ref: '#/components/schemas/CloudEvent' }, own] },
    examples: [{ name: 'fixture', payload: example }],
  };
}

const text = (description: string) => ({ type: 'string', description });

const cloudEvent = {
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'data'],
  properties: {
    specversion: { const: '1.0' },
    id: text('the same however often the event is delivered: consumers skip what they have handled'),
    source: text('the service that owns the type, /services/<name>'),
    type: text('with its version; the routing key'),
    subject: text('the id of what the event is about'),
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    data: { type: 'object' },
    traceparent: text('W3C trace context, as in the headers of a message of one event'),
    requestid: text('X-Request-Id of the request that caused it, as in the headers of a message of one event'),
  },
};
