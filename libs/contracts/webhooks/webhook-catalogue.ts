import Joi from 'joi';
import { ticketPurchaseAdded } from '../events/purchase-events.ts';
import {
  ticketDocumentAdded,
  ticketDueSoon,
  ticketInterventionDateAdded,
  ticketInvoiceAdded,
  ticketMessageAdded,
  ticketOverdue,
  ticketQuoteAdded,
  ticketReportAdded,
  ticketStatusChanged,
  ticketVisitDateAdded,
} from '../events/ticket-events.ts';
import { id, isoDate, text } from '../fields.ts';
import documentAdded from '../fixtures/ticket.document_added.v1.json' with { type: 'json' };
import dueSoon from '../fixtures/ticket.due_soon.v1.json' with { type: 'json' };
import interventionDateAdded from '../fixtures/ticket.intervention_date_added.v1.json' with { type: 'json' };
import invoiceAdded from '../fixtures/ticket.invoice_added.v1.json' with { type: 'json' };
import messageAdded from '../fixtures/ticket.message_added.v1.json' with { type: 'json' };
import overdue from '../fixtures/ticket.overdue.v1.json' with { type: 'json' };
import purchaseAdded from '../fixtures/ticket.purchase_added.v1.json' with { type: 'json' };
import quoteAdded from '../fixtures/ticket.quote_added.v1.json' with { type: 'json' };
import reportAdded from '../fixtures/ticket.report_added.v1.json' with { type: 'json' };
import statusChanged from '../fixtures/ticket.status_changed.v1.json' with { type: 'json' };
import visitDateAdded from '../fixtures/ticket.visit_date_added.v1.json' with { type: 'json' };

/** A webhook as its receivers see it. `schema` and `example` are those of the whole body. */
type DescribedWebhook = {
  event: string;
  description: string;
  /** False for the test event, which is only sent on request. */
  subscribable: boolean;
  schema: Joi.ObjectSchema;
  example: { event: string; created_at: string; data: object };
};

/** The headers of every webhook. */
export const webhookHeaders = {
  'X-Service-Event': 'the event type',
  'X-Service-Delivery': 'the id of the delivery, the same on every attempt',
  'X-Service-Signature': '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, signed anew on each attempt',
} as const;

/** Only the test operation sends it; no endpoint can subscribe to it. */
export const testEvent = 'webhook.test';

/** The event types of the specification: each by the name that subscribers see, which has no version. */
const specified = {
  'ticket.status_changed': {
    type: ticketStatusChanged,
    example: statusChanged,
    description:
      'The status of the ticket changed, as your company sees it. `from` is `null` for a contractor to whom the ticket has just become visible.',
  },
  'ticket.quote_added': {
    type: ticketQuoteAdded,
    example: quoteAdded,
    description: 'A quote was added. `amount` is without VAT unless `includes_vat`.',
  },
  'ticket.invoice_added': {
    type: ticketInvoiceAdded,
    example: invoiceAdded,
    description: 'A supplier invoice was put on the ticket, by matching or by hand. `amount` is without VAT.',
  },
  'ticket.visit_date_added': {
    type: ticketVisitDateAdded,
    example: visitDateAdded,
    description: 'A visit was planned. `duration` is in minutes.',
  },
  'ticket.intervention_date_added': {
    type: ticketInterventionDateAdded,
    example: interventionDateAdded,
    description: 'An intervention was planned. `duration` is in minutes.',
  },
  'ticket.document_added': {
    type: ticketDocumentAdded,
    example: documentAdded,
    description: 'A document was added to the Documents tab; sent only to companies that may see it.',
  },
  'ticket.report_added': {
    type: ticketReportAdded,
    example: reportAdded,
    description: 'An intervention report was added.',
  },
  'ticket.message_added': {
    type: ticketMessageAdded,
    example: messageAdded,
    description:
      'A note was added. `visibility` is `shared` (both parties), `internal` or `managers` (your own company).',
  },
  'ticket.purchase_added': {
    type: ticketPurchaseAdded,
    example: purchaseAdded,
    description:
      'A purchase document was created. The buyer hears of all of its own, the supplier of the orders addressed to it. `amount` is without VAT unless `includes_vat`.',
  },
};

/** Beyond the specification, so that who subscribes to all of its types does not get them: an endpoint must name them. */
const further = {
  'ticket.due_soon': {
    type: ticketDueSoon,
    example: dueSoon,
    description: 'Little is left until a due date. Once for each; to the contractor of the ticket too.',
  },
  'ticket.overdue': {
    type: ticketOverdue,
    example: overdue,
    description: 'A due date has passed. Once for each; to the contractor of the ticket too.',
  },
};

const eventTypes = { ...specified, ...further };

export type SubscribableEvent = keyof typeof eventTypes;
/** What endpoints may subscribe to. */
export const subscribableEvents = Object.keys(eventTypes) as SubscribableEvent[];

/** The event types that webhooks deliver. */
export const webhookEventTypes = Object.values(eventTypes).map(({ type }) => type);

const testWebhook: DescribedWebhook = {
  event: testEvent,
  description: 'Sent by `POST /webhooks/endpoints/:id/test` alone; nobody subscribes to it.',
  subscribable: false,
  schema: bodySchema(
    testEvent,
    Joi.object({ endpoint: Joi.object({ id: id.required(), name: text.required() }).required() }),
  ),
  example: {
    event: testEvent,
    created_at: '2026-11-20T09:00:00.000Z',
    data: { endpoint: { id: '67410a77b3c4d5e6f7000050', name: 'ERP' } },
  },
};

/** The webhooks of the specification. docs/webhooks.md, the OpenAPI document and `GET /webhooks/event-types` are generated from these lists. */
export const webhookCatalogue: readonly DescribedWebhook[] = [...described(specified), testWebhook];
export const furtherWebhooks: readonly DescribedWebhook[] = described(further);

function described(types: Partial<typeof eventTypes>): DescribedWebhook[] {
  return Object.entries(types).map(([event, { type, example, description }]) => ({
    event,
    description,
    subscribable: true,
    schema: bodySchema(event, (type.schema as Joi.ObjectSchema).extract('payload')),
    example: { event, created_at: example.time, data: example.data.payload },
  }));
}

function bodySchema(event: string, data: Joi.Schema): Joi.ObjectSchema {
  return Joi.object({
    event: Joi.string().valid(event).required(),
    created_at: isoDate.required().description('order the events of a ticket by it'),
    data: data.required(),
  });
}
